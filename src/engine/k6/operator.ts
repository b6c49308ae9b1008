/** A TestRun for k6's operator: several pods play one schedule, each its share of it. */
import { stringify } from 'yaml';
import { UserError } from '../../errors.ts';
import type { Plan } from './plan.ts';

export interface OperatorOptions {
  /** Pods. */
  readonly parallelism: number;
  /** Pinned: figures of another k6 are figures of another instrument. */
  readonly image: string;
  /** Instant 0 of the scenario for all pods, in milliseconds since the Unix epoch. */
  readonly epochMs: number;
  /** As it is called in the ConfigMap. */
  readonly scriptFile: string;
  readonly endpoint: string;
  /** A claim on which every pod can write its output; also holds an archive that no ConfigMap can. */
  readonly volumeClaim: string;
}

/** All that a ConfigMap may hold, in bytes of its values, with some room for the rest of the object. */
export const CONFIG_MAP_BYTES = 1_000_000;
const MOUNT = '/results';

/** The manifests, as YAML documents in one text. A script is in the ConfigMap where it fits, else in an archive on the volume. */
export function operatorManifest(
  plan: Plan,
  files: Readonly<Record<string, string>>,
  options: OperatorOptions,
): string {
  if (options.parallelism > plan.vus) {
    throw new UserError(
      `--instances: expected at most ${plan.vus} VUs, got ${options.parallelism}`,
    );
  }
  const fits = Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const isSmall = fits <= CONFIG_MAP_BYTES;
  const name = resourceName(plan.name);
  const documents = [
    ...(isSmall ? [configMap(name, files)] : []),
    testRun(plan, name, isSmall, options),
  ];
  return documents.map((each) => stringify(each, { lineWidth: 0 })).join('---\n');
}

/** Letters, digits and hyphens, as Kubernetes wants a name. */
export function resourceName(text: string): string {
  const name = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);
  return `loadline-${name === '' ? 'run' : name}`.replace(/-+$/, '');
}

/** `0,1/4,2/4,3/4,1`: what the operator passes as `--execution-segment-sequence`. */
export function segmentSequence(instances: number): string {
  return Array.from({ length: instances + 1 }, (_, i) => bound(i, instances)).join(',');
}

/** `1/4:2/4`: one instance's share, from 0. */
export function segment(index: number, instances: number): string {
  return `${bound(index, instances)}:${bound(index + 1, instances)}`;
}

function bound(i: number, of: number): string {
  if (i === 0) return '0';
  return i === of ? '1' : `${i}/${of}`;
}

function configMap(name: string, data: Readonly<Record<string, string>>): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

function testRun(plan: Plan, name: string, isSmall: boolean, options: OperatorOptions): object {
  const { parallelism, image, scriptFile, volumeClaim } = options;
  const archive = scriptFile.replace(/\.js$/, '.tar');
  return {
    apiVersion: 'k6.io/v1alpha1',
    kind: 'TestRun',
    metadata: {
      name,
      annotations: {
        'loadline/schedule': plan.scheduleDigest,
        'loadline/arrivals': String(plan.count),
        'loadline/segments': segmentSequence(parallelism),
        'loadline/epoch': new Date(options.epochMs).toISOString(),
      },
    },
    spec: {
      parallelism,
      separate: true,
      // The operator gives each pod its segment and their sequence; a name for each output keeps them apart.
      arguments: `--out json=${MOUNT}/$(POD_NAME).json.gz`,
      script: isSmall
        ? { configMap: { name, file: scriptFile } }
        : { volumeClaim: { name: volumeClaim, file: archive } },
      runner: {
        image,
        env: environment(name, options),
        volumes: [{ name: 'results', persistentVolumeClaim: { claimName: volumeClaim } }],
        volumeMounts: [{ name: 'results', mountPath: MOUNT }],
      },
    },
  };
}

/** The key comes from a secret of the cluster, and may be absent. */
function environment(name: string, { epochMs, endpoint }: OperatorOptions): object[] {
  const key = { name, key: 'OPENAI_API_KEY', optional: true };
  return [
    { name: 'ENDPOINT', value: endpoint },
    { name: 'LOADLINE_EPOCH_MS', value: String(epochMs) },
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'LOADLINE_RESULT', value: `${MOUNT}/$(POD_NAME).result.json` },
    { name: 'OPENAI_API_KEY', valueFrom: { secretKeyRef: key } },
  ];
}
