/** What all exchanges of one gate share. */
import type { AdmissionConfig, ClassRules } from '../admission/types.ts';
import { sFromUs } from '../units.ts';
import type { BodyBudget } from './body.ts';
import type { Clock } from './clock.ts';
import type { Exchange } from './exchange.ts';
import type { Gate } from './gate.ts';
import { Holdback } from './holdback.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Probe } from './probe.ts';
import { RecentRetries } from './recent-retries.ts';
import { round3 } from './refusal.ts';
import type { GatewaySettings } from './settings.ts';
import type { Upstream } from './upstream.ts';

/** All waiting bodies together stay under this. */
const BODY_BUDGET_BYTES = 256 * 1024 * 1024;
/** The most that is kept back of one answer that may be replayed. */
const HOLDBACK_LIMIT_BYTES = 4 * 1024 * 1024;

export interface ContextParts {
  readonly settings: GatewaySettings;
  readonly config: AdmissionConfig;
  readonly clock: Clock;
  readonly machine: Gate;
  readonly upstream: Upstream;
  readonly probe: Probe;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly leased: Map<number, Exchange>;
  readonly open: Set<Exchange>;
  /** Share of the upstream's capacity that computes; undefined: unknown. */
  readonly busyRatio: () => number | undefined;
}

export class GateContext {
  readonly bodyBudget: BodyBudget = { leftBytes: BODY_BUDGET_BYTES };
  readonly settings: GatewaySettings;
  readonly clock: Clock;
  readonly machine: Gate;
  readonly upstream: Upstream;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly leased: Map<number, Exchange>;
  readonly busyRatio: () => number | undefined;
  readonly retries = new RecentRetries();
  private readonly firstClass: string;
  private readonly basePath: string;
  private readonly baseQuery: string;
  private ordinal = 0;

  constructor(private readonly parts: ContextParts) {
    this.settings = parts.settings;
    this.clock = parts.clock;
    this.machine = parts.machine;
    this.upstream = parts.upstream;
    this.metrics = parts.metrics;
    this.log = parts.log;
    this.leased = parts.leased;
    this.busyRatio = parts.busyRatio;
    this.firstClass = Object.keys(parts.config.classes)[0] ?? 'default';
    const base = new URL(parts.settings.upstream);
    this.basePath = base.pathname.replace(/\/+$/, '');
    this.baseQuery = base.search.slice(1);
  }

  /** A class of the scenario; one that is unknown is taken for the first. */
  className(asked: string | undefined): string {
    const known = asked !== undefined && Object.hasOwn(this.parts.config.classes, asked);
    return known ? asked : this.firstClass;
  }

  rulesOf(className: string): ClassRules {
    return this.parts.config.classes[className] as ClassRules;
  }

  /** For callers that do not number their requests. */
  nextSeq(): number {
    return this.ordinal++;
  }

  /** The path at the upstream of one that begins with a slash: its base path first, save a version (`/v1`) that both have. */
  upstreamPath(asked: string): string {
    const version = /\/v\d+[a-z0-9]*$/.exec(this.basePath)?.[0];
    const shared = version !== undefined && (asked + '/').startsWith(version + '/');
    const base = shared ? this.basePath.slice(0, -version.length) : this.basePath;
    if (this.baseQuery === '') return base + asked;
    return base + asked + (asked.includes('?') ? '&' : '?') + this.baseQuery;
  }

  /** Whether a restart may go on from a checkpoint rather than from the start. */
  get resumes(): boolean {
    return this.settings.upstreamIsStub && this.settings.scenario.model.resume;
  }

  /**
   * The output tokens that a restart need not make again.
   * @param told what the upstream says of it, where it does
   */
  checkpointOf(outputTokens: number, told: number | undefined): number {
    if (!this.resumes) return 0;
    if (told !== undefined) return told;
    const every = this.settings.scenario.model.checkpointTokens;
    return every > 0 ? outputTokens - (outputTokens % every) : 0;
  }

  holdback(eventStream: boolean): Holdback {
    const checkpointTokens = this.resumes ? this.settings.scenario.model.checkpointTokens : 0;
    return new Holdback({ eventStream, checkpointTokens, limitBytes: HOLDBACK_LIMIT_BYTES });
  }

  /** Logs and counts one decision on an attempt. */
  decided(
    exchange: Exchange,
    decision: 'admit' | 'reject' | 'expire',
    reason: string,
    ageUs: number,
    waitUs: number,
  ): void {
    const { className, facts } = exchange;
    this.metrics.decisions.inc({ decision, reason });
    this.noteRetry(exchange);
    if (decision === 'admit') this.metrics.waitS.observe({ class: className }, sFromUs(waitUs));
    this.log(decision, {
      reason,
      age_s: round3(sFromUs(ageUs)),
      wait_s: round3(sFromUs(waitUs)),
      seq: facts.seq,
      class: className,
      client: facts.client,
      attempt: facts.attempt,
    });
  }

  private noteRetry({ className, facts }: Exchange): void {
    if (facts.attempt === 0 || this.rulesOf(className).kind !== 'interactive') return;
    const name = facts.client ?? `${className} #${facts.seq ?? '?'}`;
    this.retries.note(name, facts.attempt, this.clock.nowUs());
  }

  /** Nothing is queued for an upstream that is not there; a probe brings it back. */
  upstreamLost(message: string): void {
    if (this.machine.admission.view.policy.upstreamDown) return;
    this.log('upstream_down', { message });
    this.machine.configure({ upstreamDown: true });
    this.parts.probe.start(() => {
      this.log('upstream_back', {});
      this.machine.configure({ upstreamDown: false });
    });
  }

  left(exchange: Exchange): void {
    this.leased.delete(exchange.id);
    this.parts.open.delete(exchange);
  }
}
