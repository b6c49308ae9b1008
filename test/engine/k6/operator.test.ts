import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { buildSchedule } from '../../../src/arrivals/build.ts';
import { operatorManifest, segment, segmentSequence } from '../../../src/engine/k6/operator.ts';
import { planOf } from '../../../src/engine/k6/plan.ts';
import { shippedScenario } from '../../support/simulated.ts';

/** What the operator's TestRun takes, as far as a manifest of ours goes; anything else is a mistake. */
const name = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
const metadata = z.strictObject({ name, annotations: z.record(z.string(), z.string()).optional() });
const variable = z.strictObject({
  name: z.string().regex(/^[A-Z_]+$/),
  value: z.string().optional(),
  valueFrom: z
    .strictObject({
      fieldRef: z.strictObject({ fieldPath: z.string() }).optional(),
      secretKeyRef: z
        .strictObject({ name, key: z.string(), optional: z.boolean().optional() })
        .optional(),
    })
    .optional(),
});
const script = z.union([
  z.strictObject({ configMap: z.strictObject({ name, file: z.string().endsWith('.js') }) }),
  z.strictObject({ volumeClaim: z.strictObject({ name, file: z.string().endsWith('.tar') }) }),
]);
const testRun = z.strictObject({
  apiVersion: z.literal('k6.io/v1alpha1'),
  kind: z.literal('TestRun'),
  metadata,
  spec: z.strictObject({
    parallelism: z.int().min(1),
    separate: z.boolean(),
    arguments: z.string(),
    script,
    runner: z.strictObject({
      image: z.string().regex(/^[\w./-]+:\d+\.\d+\.\d+$/),
      env: z.array(variable),
      volumes: z.array(
        z.strictObject({ name, persistentVolumeClaim: z.strictObject({ claimName: name }) }),
      ),
      volumeMounts: z.array(z.strictObject({ name, mountPath: z.string().startsWith('/') })),
    }),
  }),
});
const configMap = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('ConfigMap'),
  metadata,
  data: z.record(z.string(), z.string()),
});

const SCRIPT = "import 'k6';\n// --- 'quotes' and: colons\n";
const EPOCH = Date.UTC(2026, 5, 1);

async function manifest(scriptText: string, parallelism = 4): Promise<unknown[]> {
  const scenario = await shippedScenario('rush');
  const { plan } = planOf(scenario, buildSchedule(scenario), {
    ...{ version: '0.0.0', scenarioDigest: 'a', scheduleDigest: 'b', peakInFlight: 40 },
    ...{ instances: parallelism, endpoint: 'http://gate:8080', model: 'm' },
  });
  const text = operatorManifest(
    plan,
    { 'rush.k6.js': scriptText },
    {
      parallelism,
      image: 'grafana/k6:2.2.0',
      epochMs: EPOCH,
      scriptFile: 'rush.k6.js',
      endpoint: 'http://gate:8080',
      volumeClaim: 'loadline-results',
    },
  );
  return parseAllDocuments(text).map((document) => document.toJS() as unknown);
}

describe('the manifest for the operator', () => {
  it('is a ConfigMap with the script and a TestRun that runs it', async () => {
    const documents = await manifest(SCRIPT);
    const map = configMap.parse(documents[0]);
    const run = testRun.parse(documents[1]);
    expect(documents.length).toBe(2);
    expect(map.data).toEqual({ 'rush.k6.js': SCRIPT });
    expect(run.spec.script).toEqual({ configMap: { name: map.metadata.name, file: 'rush.k6.js' } });
    expect(run.spec.parallelism).toBe(4);
    const epoch = run.spec.runner.env.find((each) => each.name === 'LOADLINE_EPOCH_MS');
    expect(epoch?.value).toBe(String(EPOCH));
  });

  it('takes an archive from the volume where no ConfigMap could hold the script', async () => {
    const documents = await manifest('x'.repeat(1_000_001));
    expect(documents.length).toBe(1);
    const { script: from } = testRun.parse(documents[0]).spec;
    expect(from).toEqual({ volumeClaim: { name: 'loadline-results', file: 'rush.k6.tar' } });
  });

  it('refuses more pods than there are VUs', async () => {
    await expect(manifest('', 400)).rejects.toThrow(/--instances: expected at most/);
  });

  it('holds no key, only where one is', async () => {
    process.env['OPENAI_API_KEY'] = 'sk-secret';
    const text = JSON.stringify(await manifest(''));
    delete process.env['OPENAI_API_KEY'];
    expect(text).toContain('secretKeyRef');
    expect(text).not.toContain('sk-secret');
  });
});

describe('execution segments', () => {
  it('cut the whole into equal parts, without gap or overlap', () => {
    expect(segmentSequence(4)).toBe('0,1/4,2/4,3/4,1');
    const parts = [0, 1, 2, 3].map((index) => segment(index, 4));
    expect(parts).toEqual(['0:1/4', '1/4:2/4', '2/4:3/4', '3/4:1']);
    expect(segment(0, 1)).toBe('0:1');
  });
});
