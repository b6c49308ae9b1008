import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type NormalRun, normalOf, notesOn } from '../../src/commands/alerts/normal.ts';
import { ruleGroups } from '../../src/commands/alerts/rules.ts';
import { alertsText } from '../../src/commands/alerts.ts';
import { shippedScenario } from '../support/simulated.ts';

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
if (!hasPromtool) console.log('skipped: promtool (Debian: prometheus) is not here');

const named = async (scenario: string, ...sets: string[]) => {
  const rules = ruleGroups(await shippedScenario(scenario, ...sets)).flatMap(
    (group) => group.rules,
  );
  return new Map(rules.map((rule) => ['alert' in rule ? rule.alert : rule.record, rule] as const));
};

describe('the alerts of a scenario', () => {
  it('keep the table of runbook 003 for the numbers of its scenario', async () => {
    const rules = await named('burst');
    expect(rules.get('QueueAgeWarn')).toMatchObject({ expr: 'queue_age_seconds > 15', for: '2m' });
    expect(rules.get('QueueAgePage')).toMatchObject({ expr: 'queue_age_seconds > 25', for: '1m' });
    expect(rules.get('RejectionWarn')).toMatchObject({
      expr: expect.stringMatching(/> 0\.05$/),
      for: '2m',
    });
    expect(rules.get('RejectionPage')).toMatchObject({
      expr: expect.stringMatching(/> 0\.2$/),
      for: '5m',
    });
    expect(rules.get('TurnaroundWarn')?.expr).toMatch(/> 45 unless on\(\) /);
    expect(rules.get('TurnaroundPage')?.expr).toMatch(/> 60 unless on\(\) /);
  });

  it('take the limit on the wait where there is no rule on age', async () => {
    expect((await named('rush')).get('QueueAgePage')?.expr).toBe('queue_age_seconds > 30');
  });

  it('leave out what a scenario without deadline and token budget cannot have', async () => {
    const names = [...(await named('burst')).keys()];
    expect(names).not.toContain('DeadlineSlackLow');
    expect(names).not.toContain('RestartTokensBeatSlack');
  });

  it('page on slack, and on compute never without queue age and a hold beside it', async () => {
    const rules = await named('lease-crossing');
    expect(rules.get('DeadlineSlackLow')).toMatchObject({
      expr: 'deadline_slack_seconds < 90',
      labels: { severity: 'page', action: 'reject_interactive' },
    });
    for (const { expr } of rules.values()) {
      if (expr.includes('cpu_busy_ratio')) expect(expr).toMatch(/and on\(\) queue_age_seconds/);
    }
  });

  it('say where a rule fires though all goes as designed, and why', async () => {
    const text = alertsText(await shippedScenario('burst'));
    const note =
      /# FIRES IN NORMAL OPERATION, in 10 of 10 .*: this scenario turns away 7\d %\. .* lacks capacity .*\n {6}- alert: RejectionPage\n/;
    expect(text).toMatch(note);
    // Behind its rule on age the queue age is a saw: above, and never for as long as the rule waits.
    const silent =
      /# SILENT IN NORMAL OPERATION though queue age passes 15 s in 10 of 10 .* never for more than 72 s on end, and the rule waits 120 s; it is 24 s in the mean\.\n {6}- alert: QueueAgeWarn\n/;
    expect(text).toMatch(silent);
    expect(text).not.toMatch(/FIRES? IN NORMAL.*\n {6}- alert: QueueAge/);
    // The gate turns away: these are silent.
    expect(text).not.toMatch(/NORMAL OPERATION.*\n {6}- alert: Turnaround/);
  });

  it('say nothing of the kind where a scenario has room', async () => {
    const text = alertsText(await shippedScenario('rush', 'gate.slots=40'));
    expect(text).not.toMatch(/FIRES? IN NORMAL OPERATION/);
  });

  it('say that queue age fires where it stays above for as long as the rule waits', async () => {
    const text = alertsText(await shippedScenario('lease-crossing'));
    expect(text).toMatch(
      /# FIRES IN NORMAL OPERATION, in 10 of 10 .*: queue age stays above 115\.2 s for 120 s or longer; it is 2\d\d s in the mean\.\n {6}- alert: QueueAgeWarn\n/,
    );
  });

  it('say that a rule may fire where it does in some of the runs', async () => {
    const burst = await shippedScenario('burst');
    const [run] = normalOf(burst);
    const calm = { ageAboveS: { warn: 119, page: 59 } };
    const said = (aged: number) => {
      const runs = Array.from({ length: 10 }, (_, k) => {
        return { ...run, ...(k < aged ? { ageAboveS: { warn: 120, page: 59 } } : calm) };
      });
      return notesOn(burst, runs as NormalRun[]);
    };
    expect(said(0).get('QueueAgeWarn')).toMatch(/^SILENT /);
    expect(said(3).get('QueueAgeWarn')).toMatch(/^MAY FIRE IN NORMAL OPERATION, in 3 of 10 /);
    expect(said(9).get('QueueAgeWarn')).toMatch(/^FIRES IN NORMAL OPERATION, in 9 of 10 /);
    expect(said(9).get('QueueAgePage')).toMatch(/^SILENT /);
  });

  it('blame the rule where it turns away and slots are free', async () => {
    const roomy = await shippedScenario('rush', 'gate.slots=40');
    const runs = normalOf(roomy).map((run) => ({ ...run, rejection: 0.3 }));
    const notes = notesOn(roomy, runs);
    expect(notes.get('RejectionPage')).toMatch(/It is the rule and not the pool \(slots are taken/);
  });

  it('name an action and a time each', async () => {
    const rules = [...(await named('lease-crossing', 'gate.taskBudgetTokens=1000')).values()];
    const alerts = rules.filter((rule) => 'alert' in rule);
    expect(alerts.filter((rule) => rule.for === undefined)).toEqual([]);
    expect(alerts.length).toBeGreaterThan(10);
    expect(alerts.every(({ labels }) => labels.action !== '')).toBe(true);
  });
});

describe.runIf(hasPromtool)('the written rules, in the eyes of promtool', () => {
  let folder = '';
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'alerts-'));
    const night = await shippedScenario('lease-crossing', 'gate.taskBudgetTokens=1000');
    writeFileSync(join(folder, 'night.yml'), alertsText(night));
    writeFileSync(join(folder, 'burst.yml'), alertsText(await shippedScenario('burst')));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('are sound', () => {
    const files = ['night.yml', 'burst.yml'].map((name) => join(folder, name));
    expect(execFileSync('promtool', ['check', 'rules', ...files], { encoding: 'utf8' })).toMatch(
      /SUCCESS: 16 rules found[\s\S]*SUCCESS: 10 rules found/,
    );
  });

  /** Alerts that fire after 15 minutes of these series, one sample each 15 s. */
  function firing(rules: string, series: Readonly<Record<string, string>>, wanted: string[]) {
    const test = {
      rule_files: [`${rules}.yml`],
      evaluation_interval: '15s',
      tests: [
        {
          interval: '15s',
          input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
          promql_expr_test: [
            {
              expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
              eval_time: '15m',
              exp_samples: wanted.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
            },
          ],
        },
      ],
    };
    const path = join(folder, 'test.yml');
    writeFileSync(path, stringify(test));
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', path], {
      encoding: 'utf8',
    });
    return { status, said: status === 0 ? '' : stdout + stderr };
  }

  const SOUND = { status: 0, said: '' };
  const bucket = (le: string) => `loadline_turnaround_seconds_bucket{class="task",le="${le}"}`;
  const COUNT = 'loadline_turnaround_seconds_count{class="task"}';
  const decisions = (decision: string, reason: string) =>
    `loadline_decisions_total{decision="${decision}",reason="${reason}"}`;
  const IDLE = {
    queue_age_seconds: '0x60',
    queue_age_ms: '0x60',
    loadline_upstream_up: '1x60',
    cpu_busy_ratio: '0x60',
    deadline_slack_seconds: '455x60',
    batch_deadline_seconds: '480x60',
    deadline_ms: '480000x60',
    expected_compute_seconds: '25x60',
    restart_tokens: '0x60',
    task_budget: '1000x60',
    'lease_hold_seconds{lease_class="interactive"}': '0x60',
    'lease_hold_seconds{lease_class="batch"}': '0x60',
    [decisions('admit', 'none')]: '0x60',
    [decisions('reject', 'queue_age')]: '0x60',
    [bucket('60')]: '0x60',
    [bucket('300')]: '0x60',
    [bucket('+Inf')]: '0x60',
    [COUNT]: '0x60',
  };

  it('are silent while nothing happens, and say when nothing is scraped', () => {
    expect(firing('night', IDLE, [])).toEqual(SOUND);
    expect(firing('burst', IDLE, [])).toEqual(SOUND);
    expect(firing('burst', {}, ['GateSilent'])).toEqual(SOUND);
  });

  it('do not take one request for a share', () => {
    const once = '0x50 1x10';
    const refused = { ...IDLE, [decisions('reject', 'queue_age')]: once };
    const slow = { [bucket('300')]: once, [bucket('+Inf')]: once, [COUNT]: once };
    expect(firing('burst', refused, [])).toEqual(SOUND);
    expect(firing('burst', { ...IDLE, [decisions('admit', 'none')]: once, ...slow }, [])).toEqual(
      SOUND,
    );
  });

  it('fire in overload, all of runbook 003’s table', () => {
    const overload = {
      ...IDLE,
      queue_age_seconds: '40x60',
      cpu_busy_ratio: '1x60',
      [decisions('admit', 'none')]: '0+3x60',
      [decisions('reject', 'queue_age')]: '0+7x60',
      [bucket('300')]: '0+3x60',
      [bucket('+Inf')]: '0+3x60',
      [COUNT]: '0+3x60',
    };
    const both = (name: string) => [`${name}Page`, `${name}Warn`];
    const table = ['QueueAge', 'Rejection'].flatMap(both);
    expect(firing('burst', overload, table)).toEqual(SOUND);
    // Slow, and nobody is turned away: the gate does not do its work.
    const refusal = { [decisions('reject', 'queue_age')]: '0x60' };
    const idleGate = ['QueueAge', 'Turnaround'].flatMap(both);
    expect(firing('burst', { ...overload, ...refusal }, idleGate)).toEqual(SOUND);
  });

  it('tell a leak: slack pages, and nobody is told to scale', () => {
    const leak = {
      ...IDLE,
      queue_age_seconds: '395x60',
      queue_age_ms: '395000x60',
      deadline_slack_seconds: '60x60',
      cpu_busy_ratio: '0.05x60',
      'lease_hold_seconds{lease_class="interactive"}': '400x60',
    };
    const wanted = [
      'DeadlineSlackLow',
      'HoldLeak',
      'QueueAgeHalfDeadline',
      'QueueAgePage',
      'QueueAgeWarn',
    ];
    expect(firing('night', leak, wanted)).toEqual(SOUND);
  });

  it('do not fire on idle compute alone, nor on a hold alone', () => {
    const held = { ...IDLE, 'lease_hold_seconds{lease_class="interactive"}': '400x60' };
    expect(firing('night', held, [])).toEqual(SOUND);
  });

  it('say when restarts cost more than the budget allows', () => {
    expect(
      firing('night', { ...IDLE, restart_tokens: '201x60' }, ['RestartTokensBeatSlack']),
    ).toEqual(SOUND);
    expect(firing('night', { ...IDLE, restart_tokens: '200x60' }, [])).toEqual(SOUND);
  });
});
