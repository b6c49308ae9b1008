import { Command } from 'commander';
import {
  type Calibration,
  calibrationOf,
  figuresOf,
  type Level,
} from '../calibrate/calibration.ts';
import { measureLevels, roundTrip } from '../calibrate/measure.ts';
import { type OpenLoop, openLoop, poissonInstants } from '../calibrate/open-loop.ts';
import { reachableAddress } from '../engine/live/address.ts';
import { endpointUrls, isLoopback } from '../engine/live/endpoint-url.ts';
import { preflight } from '../engine/live/preflight.ts';
import { createWire } from '../engine/live/wire.ts';
import { UserError } from '../errors.ts';
import { stableJson } from '../result/json.ts';
import { parseScenario } from '../scenario/schema.ts';
import { freeBeside } from './beside.ts';
import { calibrationPage } from './calibration-page.ts';
import {
  BELOW_KNEE,
  firstLine,
  LEAST_PER_CONNECTION,
  LONGEST_LEVEL_S,
  leftLine,
  OPEN_REQUESTS,
  planOf,
} from './calibration-plan.ts';
import { calibrationText, digits } from './calibration-text.ts';
import { counted } from './counted.ts';
import { type OutputOptions, positiveNumber, wholeNumber } from './options.ts';
import { checkOutFiles, isTaken, writeOutFiles } from './out-files.ts';
import { note, print } from './output.ts';
import { interruptSignal, unlessInterrupted } from './signals.ts';
import { simulateResult } from './simulate.ts';

interface CalibrateOptions extends OutputOptions {
  readonly endpoint?: string;
  readonly model?: string;
  readonly maxConnections: number;
  readonly requests: number;
  readonly maxRequests: number;
  readonly timeout: number;
  readonly yes?: boolean;
}

/** What the open loop measured beside what the fitted model foretells of the same arrivals. */
export interface Check extends OpenLoop {
  readonly ratePerS: number;
  readonly foretold: { readonly meanS: number | null; readonly p95S: number | null };
}

/** `loadline calibrate`: a service model from an endpoint. */
export function calibrateCommand(): Command {
  return new Command('calibrate')
    .description(
      'fit a service model to an endpoint: closed loop by autocannon, then a short open loop',
    )
    .option('-e, --endpoint <url>', 'any OpenAI-compatible base URL (MC_ENDPOINT)')
    .option('-m, --model <name>', 'model to ask for (MC_MODEL)')
    .option('--max-connections <number>', 'the last level', wholeNumber(1, 1024), 64)
    .option('--requests <number>', 'at each level, at least', wholeNumber(6), 120)
    .option(
      '--max-requests <number>',
      'no level is begun that would go beyond it',
      wholeNumber(6),
      5000,
    )
    .option('--timeout <seconds>', 'for one answer', positiveNumber, 120)
    .option('-y, --yes', 'send to an endpoint that is not this machine')
    .option('-o, --out <file>', 'the model file; its page lies beside it', 'model.json')
    .option('--force', 'write over what is there')
    .option('--json', 'print what the file holds, and nothing else, on stdout')
    .option('-q, --quiet', 'no progress and no notes on stderr')
    .action(run);
}

/** Prompts of two lengths and answers of three, so that the cost of either can be told. */
const PROMPTS = [
  'Say yes.',
  `Count the vowels of this text. ${'The quick brown fox jumps over the lazy dog. '.repeat(12)}`,
];
const OUT_TOKENS = [16, 64, 128];
const CHARACTERS_PER_TOKEN = 4;

async function run(options: CalibrateOptions): Promise<void> {
  const { out = 'model.json', force = false } = options;
  const wanted = filesCalled(out);
  checkOutFiles(wanted, force);
  const { calibration, levels, check } = await calibrate(options);
  const document = { model: calibration.model, calibration, check };
  // Minutes of measuring: said before it is written, and never over what came there meanwhile.
  await print(options.json === true ? stableJson(document) : calibrationText(calibration, check));
  const isFilled = !force && wanted.some(isTaken);
  const [model, page] = isFilled
    ? filesCalled(`${freeBeside(stemOf(out), ['.json', '.html'])}.json`)
    : wanted;
  writeOutFiles({
    [model]: stableJson(document),
    [page]: await calibrationPage(calibration, levels, check, model),
  });
  note(`model: ${model}  (in a scenario: model: { file: '${model}' })\npage: ${page}`, options);
  if (isFilled)
    throw new UserError(`${out}: expected a new file, got one written meanwhile; see ${model}`, 1);
  if (calibration.interrupted) throw new UserError('the calibration was cut short: interrupted', 1);
}

function stemOf(out: string): string {
  return out.replace(/\.json$/, '');
}

/** The model, and its page beside it. */
function filesCalled(out: string): [model: string, page: string] {
  return [out, `${stemOf(out)}.html`];
}

/**
 * Measures an endpoint and fits.
 * @throws UserError where it does not answer, or answers too little, or is given up before it has
 */
export async function calibrate(
  options: CalibrateOptions,
): Promise<{ calibration: Calibration; levels: readonly Level[]; check: Check | null }> {
  const interrupt = interruptSignal();
  const { signal } = interrupt;
  try {
    const target = await targetOf(options, signal);
    const { headers } = target;
    const way = roundTrip(target.modelsUrl, { headers, timeoutS: options.timeout, signal });
    const roundTripS = await unlessInterrupted(signal, way);
    const plan = planOf(options, target.bodies.length);
    note(firstLine(plan), options);
    let met = 0;
    const levels = await measureLevels({
      url: target.url,
      headers,
      shapes: target.bodies.map((body) => ({ body })),
      mostConnections: options.maxConnections,
      requestsPerLevel: options.requests,
      leastPerConnection: LEAST_PER_CONNECTION,
      mostRequests: options.maxRequests,
      timeoutS: options.timeout,
      longestS: LONGEST_LEVEL_S,
      signal,
      onLevel: (level) => {
        note(levelLine(level), options);
        met++;
        if (level.isCut === true) return;
        const line = leftLine(plan, level, met);
        if (line !== undefined) note(line, options);
      },
    });
    const fitted = calibrationOf(levels, roundTripS);
    if (fitted === undefined) throw tooLittle(levels, target.url, signal.aborted);
    const check = signal.aborted ? null : await checked(fitted, target, options, signal);
    return { calibration: { ...fitted, interrupted: signal.aborted }, levels, check };
  } finally {
    interrupt.release();
  }
}

function levelLine(level: Level): string {
  const { connections, n, perS, meanS, limited, failed } = figuresOf(level);
  const mean = meanS === null ? 'no answer' : `mean ${digits(meanS)} s`;
  const bad = `${limited > 0 ? `, ${limited} times 429` : ''}${failed > 0 ? `, ${failed} failed` : ''}`;
  return `${String(connections).padStart(4)} ${connections === 1 ? 'connection' : 'connections'}: ${counted(n, 'answer')}, ${digits(perS)}/s, ${mean}${bad}`;
}

function tooLittle(levels: readonly Level[], url: string, interrupted: boolean): UserError {
  const figures = levels.map(figuresOf);
  const limited = figures.reduce((sum, each) => sum + each.limited, 0);
  const answers = figures.reduce((sum, each) => sum + each.n, 0);
  const why = interrupted
    ? 'interrupted'
    : limited > 0
      ? `${limited} times 429: a rate limit, not the server`
      : 'the rest failed';
  return new UserError(`${url}: expected at least 20 answers to fit, got ${answers} (${why})`, 1);
}

interface Target {
  readonly url: string;
  readonly modelsUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodies: readonly string[];
}

/** What the two loops send at most, in a line; how long they take depends on the endpoint. */
function bill(maxRequests: number): string {
  const requests = maxRequests + OPEN_REQUESTS;
  const tokens = (perRequest: number) => Math.round(requests * perRequest);
  const inTokens = meanOf(PROMPTS.map(({ length }) => length / CHARACTERS_PER_TOKEN));
  return `up to ${requests} requests, about ${tokens(inTokens)} prompt and ${tokens(meanOf(OUT_TOKENS))} output tokens`;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

async function targetOf(options: CalibrateOptions, signal: AbortSignal): Promise<Target> {
  const { endpoint, model, yes, maxRequests, timeout } = options;
  const set = (name: string) => (process.env[name] === '' ? undefined : process.env[name]);
  const given = endpoint ?? set('MC_ENDPOINT') ?? set('OPENAI_BASE_URL');
  if (given === undefined)
    throw new UserError('--endpoint: expected a URL (or MC_ENDPOINT), got none');
  const urls = endpointUrls(given);
  if (!isLoopback(urls.origin) && yes !== true) {
    throw new UserError(
      `${urls.origin} is not this machine; expected --yes to send it ${bill(maxRequests)}`,
    );
  }
  note(`endpoint: POST ${urls.shown}\nthis sends ${bill(maxRequests)} to ${urls.origin}`, options);
  const apiKey = set('MC_API_KEY') ?? set('OPENAI_API_KEY');
  const address = await unlessInterrupted(signal, reachableAddress(urls.origin, signal));
  const wire = createWire({ origin: urls.origin, address, ca: undefined, insecure: false });
  try {
    const settings = { urls, apiKey, model: model ?? set('MC_MODEL') };
    const looked = preflight(wire, { ...settings, timeoutMs: 1000 * timeout });
    const found = await unlessInterrupted(signal, looked);
    const key = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    return {
      url: `${urls.origin}${urls.completionsPath}`,
      modelsUrl: `${urls.origin}${urls.modelsPath}`,
      headers: { 'content-type': 'application/json', ...key },
      bodies: PROMPTS.flatMap((prompt) =>
        OUT_TOKENS.map((out) => bodyOf(found.model, prompt, out)),
      ),
    };
  } finally {
    await wire.close();
  }
}

function bodyOf(model: string, content: string, outTokens: number): string {
  const messages = [{ role: 'user', content }];
  return JSON.stringify({ model, messages, max_tokens: outTokens, stream: false });
}

/** Where a rate limit was met there is no knee to stay below, and half of the best that passed is far enough. */
async function checked(
  calibration: Calibration,
  { url, headers, bodies }: Target,
  options: CalibrateOptions,
  signal: AbortSignal,
): Promise<Check | null> {
  const passed = calibration.levels.filter(({ limited }) => limited === 0);
  const best = Math.max(0, ...passed.map(({ perS }) => perS));
  if (best === 0) return null;
  const ratePerS = BELOW_KNEE * best;
  const atS = poissonInstants(ratePerS, OPEN_REQUESTS, 1);
  note(`open loop: ${OPEN_REQUESTS} arrivals at ${digits(ratePerS)}/s`, options);
  const timeoutS = options.timeout;
  const measured = await openLoop({ url, headers, bodies, atS, timeoutS, signal });
  if (signal.aborted) return null;
  return { ratePerS, ...measured, foretold: foretold(calibration, ratePerS, atS) };
}

/** By the simulator, over a few seeds. */
function foretold(
  { model, roundTripS, tokens }: Calibration,
  ratePerS: number,
  atS: readonly number[],
) {
  const scenario = parseScenario({
    name: 'check',
    durationS: (atS.at(-1) ?? 0) + 1,
    arrivals: { ratePerS },
    model,
    classes: { task: tokens === null ? {} : { outTokens: middleOf(OUT_TOKENS) } },
  });
  const { responseS } = simulateResult(scenario, { replications: 30, direct: true });
  const plus = (figure: typeof responseS.mean) =>
    figure === null ? null : roundTripS + (typeof figure === 'number' ? figure : figure.mean);
  return { meanS: plus(responseS.mean), p95S: plus(responseS.p95) };
}

function middleOf(values: readonly number[]): number {
  return Math.round(meanOf(values));
}
