import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { scratch, until } from './program.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const place = scratch();
afterAll(() => place.remove());

/** `script` of util-linux gives a command a terminal, which closes when `script` is gone. */
const hasTerminals = spawnSync('script', ['-qfc', 'true', '/dev/null']).status === 0;

it.runIf(hasTerminals).each([
  ['a run', 'bench smoke --duration 60 --out run', 1],
  ['a gate', 'gateway --stub -p 0', 0],
  ['a stub', 'stub -p 0', 0],
])(
  '%s whose terminal closes ends as one that is told to, and is not aborted',
  async (name, argv, code) => {
    const [said, ended] = [place.path(`${name} said`), place.path(`${name} ended`)];
    // A shell passes the word on, and here outlives its terminal to tell how it went.
    const command = [
      `${process.execPath} ${CLI} ${argv} & trap 'kill -HUP $!' HUP`,
      `wait $!; wait $!; echo $? > '${ended}'`,
    ].join('\n');
    const terminal = spawn('script', ['-qfc', command, said], {
      cwd: place.path('.'),
      stdio: 'ignore',
    });
    onTestFinished(() => void terminal.kill('SIGKILL'));
    const ready = name === 'a run' ? /\/60 s/ : /"listening"/;
    await until('it goes on', () =>
      existsSync(said) && ready.test(readFileSync(said, 'utf8')) ? true : undefined,
    );
    terminal.kill('SIGKILL');
    const status = await until('its end', () =>
      existsSync(ended) ? readFileSync(ended, 'utf8') || undefined : undefined,
    );
    expect(Number(status)).toBe(code);
    if (name === 'a run') expect(existsSync(place.path('run/report.html'))).toBe(true);
  },
  90_000,
);
