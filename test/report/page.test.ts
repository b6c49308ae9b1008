import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { renderPage } from '../../src/report/page.ts';
import type { Result } from '../../src/result/types.ts';
import { replicatedRun, shippedScenario, simulated } from '../support/simulated.ts';

const HOSTILE = `</script><script>alert(1)</script><img src=x onerror="alert(2)">'&`;

/** What a reader sees: no script, no style, no mark-up. */
function textOf(page: string): string {
  return page
    .replace(/<(script|style|svg)\b[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&nbsp;|\u00a0/g, ' ')
    .replace(/\s+/g, ' ');
}

/** The exact numbers that the page carries beside the rounded ones. */
function numbersOf(page: string): Set<number> {
  return new Set([...page.matchAll(/<data value="([^"]*)"/g)].map(([, value]) => Number(value)));
}

/** The same figures with nothing to draw: a page of text alone is made at once. */
function undrawn(result: Result): Result {
  const series = { ...result.series, response: [], wait: [], leases: [], preempts: [] };
  return { ...result, byQueueAge: [], timeline: [], series };
}

function policyOf(page: string): string {
  return /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
}

function sha256(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function scriptsOf(page: string): string[] {
  return [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, text]) => text ?? '');
}

describe('the page of a run', () => {
  let rush: Result;
  let page: string;

  beforeAll(async () => {
    rush = simulated(await shippedScenario('rush'));
    page = await renderPage([rush]);
  });

  it('is one file under 900 KB that names no address to load from', () => {
    expect(Buffer.byteLength(page)).toBeLessThan(900_000);
    const markup = page.replace(/<script[\s\S]*?<\/script>/g, '');
    expect(markup).not.toMatch(/\b(src|href)=/);
    expect(markup).not.toMatch(/url\(|@import/);
    expect(markup.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:/);
  });

  it('runs its own script and nothing else, without eval', () => {
    const [script = '', ...others] = scriptsOf(page);
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
    expect(others).toEqual([]);
    expect(policyOf(page).split('; ')).toEqual([
      "default-src 'none'",
      `style-src ${sha256(style)}`,
      `script-src ${sha256(script)}`,
      "base-uri 'none'",
      "form-action 'none'",
    ]);
  });

  it('begins with what happened and whether the run was sound', () => {
    const { outcomes, rates } = rush;
    const share = (figure: unknown) => `${Math.round(100 * Number(figure))} %`;
    const expected = `${share(rates.goodput)} of ${outcomes.offered} requests were served within 60 s; ${share(rates.rejection)} turned away, after at most 30 s; none late. Run: sound, simulated.`;
    expect(textOf(/<h1>.*?<\/h1>/.exec(page)?.[0] ?? '')).toContain(expected);
    expect(page.indexOf('<h1>')).toBeLessThan(page.indexOf('<table'));
    expect(page.indexOf('<table')).toBeLessThan(page.indexOf('class="chart"'));
  });

  it('carries the figures of the result to the last digit', () => {
    const { outcomes, rates, responseS, waitS, refusalS, utilization, queueAgeS } = rush;
    const figures = [
      ...[outcomes.offered, outcomes.completed, outcomes.rejected, outcomes.expired],
      ...Object.values(rates),
      ...[responseS, waitS, refusalS].flatMap((each) => Object.values(each)),
      ...Object.values(utilization),
      ...Object.values(queueAgeS),
      ...Object.values(rush.rejectedBy),
      ...Object.values(rush.byClass).map((each) => each.rates.goodput),
    ];
    const shown = numbersOf(page);
    expect(figures.filter((figure) => !shown.has(Number(figure)))).toEqual([]);
  });

  it('draws the threshold into each chart against queue age, by the name of its rule', () => {
    const charts = ['age-decisions', 'age-turned-away', 'age-late', 'age-use', 'time-age'];
    for (const id of charts) {
      const svg = new RegExp(`id="${id}"><svg[\\s\\S]*?</svg>`).exec(page)?.[0] ?? '';
      expect(svg, id).toMatch(/>maxWaitS 30\u00a0s</);
    }
  });

  it('has its pictures in the file, with their units, before any script runs', () => {
    const figures = page.match(/<div class="chart" id="[^"]*"><svg/g) ?? [];
    expect(figures).toHaveLength(10);
    expect(page).toMatch(/>queue age at that instant \(s\)</);
    expect(page).toMatch(/>burst \u00d72</);
    expect(page).toMatch(/>SLO 60\u00a0s</);
  });

  it('says where the figures come from', async () => {
    expect(textOf(page)).toContain('SIMULATED');
    const { environment } = rush;
    const stub: Result = {
      ...undrawn(rush),
      engine: 'live',
      environment: { ...environment, target: 'stub' },
    };
    const text = textOf(await renderPage([stub]));
    expect(text).toContain('STUB');
    expect(text).toContain('No threshold for production follows from it');
    const target = { target: 'endpoint', endpoint: 'http://localhost:9', model: 'm1' } as const;
    const real: Result = { ...stub, environment: { ...environment, ...target } };
    const realText = textOf(await renderPage([real]));
    expect(realText).toContain('ENDPOINT');
    expect(realText).toContain('Measured at http://localhost:9, model m1');
  });

  it('prints why the threshold was chosen and the scenario in full', () => {
    expect(textOf(page)).toContain(
      'Why this threshold: The SLO of 60 s less the longest service of 30 s',
    );
    expect(page).toContain('&quot;maxWaitS&quot;: 30');
    expect(page).toContain(rush.schedule.digest);
  });

  it('writes what others wrote as text', async () => {
    const { scenario } = rush;
    const { gate } = scenario.resolved;
    const hostile: Result = {
      ...rush,
      scenario: {
        ...scenario,
        name: HOSTILE,
        resolved: {
          ...scenario.resolved,
          description: HOSTILE,
          gate: { ...gate, rationale: HOSTILE },
        },
      },
      rejectedBy: { [HOSTILE]: 1 },
      byClass: { [HOSTILE]: rush.byClass['small']!, other: rush.byClass['large']! },
      environment: { ...rush.environment, notes: [HOSTILE], model: HOSTILE },
      health: { ...rush.health, notes: [HOSTILE] },
    };
    const page = await renderPage([hostile]);
    expect(scriptsOf(page)).toHaveLength(1);
    expect(page).not.toContain('<img');
    expect(page).not.toContain('<script>alert');
    expect(page.match(/<script/g)).toHaveLength(page.includes('id="charts"') ? 2 : 1);
  });

  it('puts the action that the evidence supports above what happened', async () => {
    const verdict: Result['verdicts'][number] = {
      action: 'do-not-scale',
      headline: 'DO NOT SCALE. END SESSIONS dbg-1, dbg-2.',
      signal: 'cpu_busy_ratio',
      value: 0.05,
      threshold: 0.3,
      evidence: 'slots 2/2 leased | CPU 5 % | oldest batch 395 s of 480',
      commands: ['curl -X DELETE http://127.0.0.1:8080/admin/leases/dbg-1'],
      expect: '6 of 6 batch jobs in time',
      wrongIf: 'either is producing tokens',
      undo: 'reject_interactive=off',
    };
    const text = textOf(await renderPage([{ ...undrawn(rush), verdicts: [verdict] }]));
    const places = [
      verdict.headline,
      verdict.evidence,
      verdict.commands[0]!,
      verdict.expect,
      verdict.wrongIf,
      verdict.undo,
      'requests were served within 60 s',
      'Lost: ',
      'rejected at the door',
    ].map((part) => text.indexOf(part));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it('counts who was served in time, and keeps a code apart from where the request was turned away', async () => {
    const text = textOf(await renderPage([undrawn(rush)]));
    const n = Math.round(Number(rush.rates.goodput) * Number(rush.outcomes.offered));
    expect(text).toMatch(new RegExp(`served within the SLO ${n} `));
    expect(text).toContain('of all turned away, by ');
    expect(text).toContain('response from sending completed: the wait for a slot is in it');
  });

  it('says by whom it is done before the commands, in words', async () => {
    const [only] = rush.verdicts;
    const verdict = { headline: 'H', evidence: 'e', expect: 'x', wrongIf: 'w', undo: 'u' };
    const steps = { first: 'add capacity', commands: ['curl -sf http://a/b'] };
    const given = { ...only, ...verdict, ...steps } as Result['verdicts'][number];
    const text = textOf(await renderPage([{ ...undrawn(rush), verdicts: [given] }]));
    expect(text).toMatch(/First add capacity Do curl -sf/);
  });

  it('puts the loss split before every table', async () => {
    const lossSplit = { threshold: 0.02, capacity: 0.16, holds: 0, retries: 0, upstream: 0 };
    const page = await renderPage([{ ...undrawn(rush), lossSplit }]);
    expect(textOf(page)).toContain(
      'to the threshold 2.0 % , to missing capacity 16.0 % , to holds 0.0 %',
    );
    expect(page.indexOf('to missing capacity')).toBeLessThan(page.indexOf('<table'));
  });

  it('of a run that cannot be trusted says only that, why, and how to run it again', async () => {
    const health = {
      ...rush.health,
      status: 'generator-limited' as const,
      notes: ['sent 0.7/s of 0.8/s asked'],
    };
    const limited: Result = { ...rush, engine: 'live', timeScale: 0.1, health };
    const page = await renderPage([limited]);
    const text = textOf(page);
    expect(text).toContain('Do not use this run.');
    expect(text).toContain('sent 0.7/s of 0.8/s asked');
    expect(text).toContain('npx loadline bench rush --seed 1 --time-scale 0.2');
    expect(text).not.toContain('served within');
    expect(page).not.toContain('<svg');
    expect(page).not.toContain('<table');
  });

  it('says that a threshold far beyond the data was never met, and does not draw it', async () => {
    const page = await renderPage([
      simulated(await shippedScenario('burst', 'gate.ageRejectS=9999')),
    ]);
    expect(textOf(page)).toContain('ageRejectS 9999 s lies far beyond every queue age of this run');
    expect(page).not.toMatch(/<text[^>]*>ageRejectS/);
  });

  it('calls a rule that is off by 1e9 off, and draws nothing for it', async () => {
    const text = textOf(
      await renderPage([
        simulated(await shippedScenario('burst', 'gate.ageRejectS=1e9', 'gate.depthMultiple=2')),
      ]),
    );
    expect(text).toContain('Gate: 4 slots, depthMultiple 2.');
    expect(text).not.toMatch(/1e9|lies far beyond/);
  });

  it('of a run without requests says so instead of drawing', async () => {
    const empty = simulated(
      await shippedScenario('smoke', 'arrivals.ratePerS=1e-9', 'arrivals.bursts=[]'),
    );
    const page = await renderPage([empty]);
    const text = textOf(page.replace(/<details>[\s\S]*?<\/details>/, ''));
    expect(empty.outcomes.offered).toBe(0);
    expect(text).toContain('No request arrived in 2 s, so there is nothing to judge.');
    expect(text).toContain('No request reached the gate');
    expect(text).not.toMatch(/NaN|Infinity|undefined|null/);
  });

  it('shows replicated figures as a mean with its interval and the band of the runs', async () => {
    const runs = replicatedRun(await shippedScenario('smoke'), 12);
    const page = await renderPage([runs]);
    const { goodput } = runs.rates;
    if (typeof goodput !== 'object' || goodput === null) throw new Error('expected replications');
    const points = (share: number) => (100 * share).toFixed(1);
    expect(numbersOf(page)).toContain(goodput.mean);
    expect(textOf(page)).toContain(
      `${points(goodput.mean)} % ${points(goodput.lo)} to ${points(goodput.hi)} % runs ${points(goodput.band[0])} to`,
    );
    expect(textOf(page)).toContain('Mean of 12 runs:');
  });

  it('of no result is an error of the user', async () => {
    await expect(renderPage([])).rejects.toThrow(UserError);
  });
});

describe('the page of several runs', () => {
  it('compares them with the first, names what differs, and lays their charts over each other', async () => {
    const rush = simulated(await shippedScenario('rush'));
    const open = simulated(await shippedScenario('rush', 'gate.maxWaitS=null'));
    const page = await renderPage([rush, open]);
    const text = textOf(page);
    expect(text).toContain('served within the SLO with maxWaitS 30 s; ');
    expect(text).toContain('with maxWaitS off.');
    expect(text).toContain(
      'All met the same arrivals. One run each: a small difference may be chance.',
    );
    const points = 100 * Math.abs(Number(open.rates.goodput) - Number(rush.rates.goodput));
    expect(text).toContain(`\u2212${points.toFixed(1)} points`);
    expect(numbersOf(page)).toContain(open.rates.goodput);
    expect(page.match(/<div class="chart" id="overlay-[a-z]+"><svg/g)).toHaveLength(4);
  });

  it('says that other arrivals may explain a difference', async () => {
    const scenario = await shippedScenario('smoke');
    const text = textOf(
      await renderPage([undrawn(simulated(scenario, 1)), undrawn(simulated(scenario, 2))]),
    );
    expect(text).toContain('They met different arrivals');
    expect(text).toContain('seed 2');
  });

  it('leaves out a run that cannot be trusted, and says so', async () => {
    const scenario = await shippedScenario('smoke');
    const [a, b, c] = [1, 2, 3].map((seed) => undrawn(simulated(scenario, seed)));
    const bad: Result = { ...c!, health: { ...c!.health, status: 'generator-limited' } };
    const text = textOf(await renderPage([a!, b!, bad]));
    expect(text).toContain('Left out, because the generator did not apply the load');
    expect(text).toContain('2 runs compared');
  });
});
