import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Argument, Command } from 'commander';
import { UserError } from '../errors.ts';
import { whatHappened } from '../report/headline.ts';
import { unescapeHtml } from '../report/html.ts';
import { renderIndex, type SitePage } from '../report/site.ts';
import type { Result } from '../result/types.ts';
import type { OutputOptions } from './options.ts';
import { checkOutFiles, writeOutFiles } from './out-files.ts';
import { print } from './output.ts';
import { pageOf } from './page.ts';
import { readRun } from './read-run.ts';

const REPORTS = 'reports';

/** `loadline publish`: a static site of pages with an index. */
export function publishCommand(): Command {
  return new Command('publish')
    .description('make a static site of the pages of runs, sweeps and recommendations')
    .addArgument(new Argument('[run...]', `folders; those in ${REPORTS}/ if none is named`))
    .option('-o, --out <folder>', 'where the site is written', join(REPORTS, 'site'))
    .action(run);
}

async function run(paths: readonly string[], options: OutputOptions): Promise<void> {
  const out = options.out ?? join(REPORTS, 'site');
  checkOutFiles([join(out, 'index.html')], true);
  const pages: SitePage[] = [];
  for (const path of paths.length > 0 ? paths : publishedIn(REPORTS))
    pages.push(await sitePage(path));
  const site = await renderIndex(pages);
  writeOutFiles(Object.fromEntries([...site].map(([path, text]) => [join(out, path), text])));
  await print(`${join(out, 'index.html')}\n`);
}

function publishedIn(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  const found = names
    .map((name) => join(folder, name))
    .filter((path) => existsSync(join(path, 'report.html')));
  if (found.length > 0) return found;
  throw new UserError(`publish: expected runs, got none named and none in ${folder}/`);
}

/** A run's page is made anew; that of a sweep or a recommendation is taken as it is. */
async function sitePage(path: string): Promise<SitePage> {
  const name = basename(resolve(path));
  const page = join(path, 'report.html');
  if (existsSync(join(path, 'result.json')) || !existsSync(page)) {
    const { result } = readRun(path);
    const { description } = result.scenario.resolved;
    const title = `${result.scenario.name}: ${result.verdicts[0]?.headline ?? description}`;
    const page = await pageOf([result]);
    return {
      name,
      kind: 'run',
      played: playedOf(result),
      title,
      summary: whatHappened(result),
      page,
    };
  }
  const text = readFileSync(page, 'utf8');
  const title = /<title>([^<]*)<\/title>/.exec(text)?.[1] ?? name;
  return { name, ...documentKind(path), title: unescapeHtml(title), page: text };
}

function playedOf({ engine, environment, replications }: Result): string {
  const where = { none: 'simulated', stub: 'at a stub', endpoint: 'at an endpoint' };
  const by = engine === 'k6' ? 'played by k6' : where[environment.target];
  return replications > 1 ? `${by}, ${replications} seeds` : by;
}

/** What a page that is no run's shows; its own headline says the rest. */
function documentKind(path: string): Pick<SitePage, 'kind' | 'summary'> {
  if (existsSync(join(path, 'sweep.json'))) {
    return { kind: 'sweep', summary: 'Settings side by side on the same arrivals.' };
  }
  if (existsSync(join(path, 'tune.json'))) {
    return {
      kind: 'tuning',
      summary: 'The setting to defend, its flat region and its cliff.',
    };
  }
  return { kind: 'page', summary: '' };
}
