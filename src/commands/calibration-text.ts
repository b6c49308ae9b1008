import { type Calibration, wholeLevels } from '../calibrate/calibration.ts';
import type { Check } from './calibrate.ts';
import { counted } from './counted.ts';

/** What a calibration found, for a terminal. */
export function calibrationText(calibration: Calibration, check: Check | null): string {
  const { model, n, because, concurrency, named, tokens, roundTripS } = calibration;
  const lines = [
    ...(calibration.interrupted ? [`interrupted ${interruptedText(calibration)}`] : []),
    `service     ${JSON.stringify(model.service, short)}`.slice(0, 160),
    `            ${because}`,
    `concurrency ${concurrencyText(calibration)}`,
    `knee        ${kneeText(calibration)}`,
    `tokens      ${tokens === null ? 'no dependence found' : `R2 ${tokens.r2.toFixed(3)}, ${digits(tokens.tokens.gapS * 1000)} ms for each output token`}`,
    `fits        ${named.map(({ name, ks, p }) => `${name} KS ${ks.toFixed(3)} (p ${p.toFixed(2)})`).join(', ')}`,
    `evidence    ${n} answers, round trip ${digits(roundTripS * 1000)} ms${concurrency.r2 === null ? '' : `, R2 over levels ${concurrency.r2.toFixed(3)}`}`,
    ...(check === null ? [] : [`open loop   ${checkText(check)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Beyond this the open loop contradicts the model. */
const MOST_OFF = 0.25;

/** What to do with a calibration, in plain words. @param file of the model */
export function calibrationHeadline(
  calibration: Calibration,
  check: Check | null,
  file: string,
): string {
  const { knee, limit, concurrency, interrupted } = calibration;
  if (interrupted) {
    return `Measure again before you use ${file}: interrupted, ${interruptedText(calibration)}`;
  }
  const [measured, said] = [check?.meanS ?? null, check?.foretold.meanS ?? null];
  if (measured !== null && said !== null && Math.abs(measured / said - 1) > MOST_OFF) {
    return `Measure again before you use ${file}: under an open load answers took ${digits(measured)} s in the mean, the model says ${digits(said)} s`;
  }
  const use = `Put model: { file: '${file}' } into your scenario`;
  if (limit !== null) return `${use}; it holds below the rate limit that was met`;
  if (knee === 1) return `${use}; more than one request at once gains nothing here`;
  if (knee !== null) return `${use}; more than ${knee} requests at once gain nothing here`;
  if (concurrency.type === 'unknown') {
    return `${use}; what more requests at once do to it was not measured`;
  }
  return `${use}; more slots may serve more, the limit of this endpoint was not met`;
}

/** Three significant digits; thousands are written out. */
export function digits(value: number): string {
  const text = value.toPrecision(3);
  return text.includes('e+') ? String(Number(text)) : text;
}

function short(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}

function interruptedText({ levels, n }: Calibration): string {
  const whole = wholeLevels(levels);
  const last = whole.at(-1)?.connections;
  const until =
    last === undefined ? 'in its first level' : `after the level of ${counted(last, 'connection')}`;
  return `${until}; ${n} answers until then`;
}

export function concurrencyText({ concurrency }: Calibration): string {
  if (concurrency.type === 'unknown') {
    return 'not known: one number of connections was measured, and says nothing of another';
  }
  if (concurrency.type === 'constant') return 'service does not change with the number in service';
  if (concurrency.type === 'slots')
    return `${concurrency.slots} are served at once, the others wait`;
  const { perRequest, from } = concurrency;
  return `each request beyond ${from} in service adds ${digits(perRequest * 100)} % to the service time`;
}

export function kneeText({ knee, limit, levels }: Calibration): string {
  if (limit !== null) {
    const asked = limit.retryAfterS === null ? '' : `, which asks to wait ${limit.retryAfterS} s`;
    return `not met: at ${limit.connections} connections ${(limit.share * 100).toFixed(0)} % were 429, a rate limit${asked} and not the server`;
  }
  const whole = wholeLevels(levels);
  if (whole.length < 2) return 'not known: fewer than two levels were measured to their end';
  const best = Math.max(0, ...whole.map(({ perS }) => perS));
  if (knee === null)
    return `not met up to ${whole.at(-1)?.connections ?? 0} connections (${digits(best)}/s)`;
  return `at ${knee} connections: ${digits(best)}/s`;
}

export function checkText({ ratePerS, n, failed, meanS, foretold }: Check): string {
  const said = (s: number | null) => (s === null ? 'unknown' : `${digits(s)} s`);
  const bad = failed === 0 ? '' : `, ${failed} failed`;
  return `at ${digits(ratePerS)}/s: mean ${said(meanS)} of ${n}, foretold ${said(foretold.meanS)}${bad}`;
}
