import { Argument, Command } from 'commander';
import { Document, visit } from 'yaml';
import type { Scenario } from '../scenario/types.ts';
import { normalOf, notesOn } from './alerts/normal.ts';
import { ruleGroups, THRESHOLDS_EXPLAINED } from './alerts/rules.ts';
import { type ScenarioOptions, withScenarioOptions } from './options.ts';
import { checkOutFiles, writeOutFiles } from './out-files.ts';
import { print } from './output.ts';
import { scenarioFrom } from './resolve.ts';

interface AlertsOptions extends ScenarioOptions {
  readonly out?: string;
}

/** `loadline alerts`: Prometheus rules with the numbers of a scenario. */
export function alertsCommand(): Command {
  const command = new Command('alerts')
    .description('write Prometheus rules with the numbers of a scenario')
    .addArgument(new Argument('<scenario>', 'a file, or the name of a shipped scenario'))
    .option('-o, --out <file>', 'where they are written; otherwise stdout');
  command.addHelpText(
    'after',
    '\nThe flags of the load matter for the comments: the scenario is simulated, and a rule that it trips says so.',
  );
  return withScenarioOptions(command).action(run);
}

async function run(nameOrPath: string, options: AlertsOptions): Promise<void> {
  const { out } = options;
  if (out !== undefined) checkOutFiles([out], true);
  const text = alertsText(await scenarioFrom(nameOrPath, options));
  if (out === undefined) await print(text);
  else writeOutFiles({ [out]: text });
}

/** The file of rules, as Prometheus reads it. */
export function alertsText(scenario: Scenario): string {
  const document = new Document({ groups: ruleGroups(scenario) });
  document.commentBefore = [
    ` Rules for the scenario ${scenario.name}: its thresholds, its SLO of ${scenario.sloS} s.`,
    ' With no traffic a ratio has no value and its rule is silent; GateSilent says when nothing is scraped.',
    ' Each alert names the action that follows; none pages on compute alone.',
    ...THRESHOLDS_EXPLAINED.map((line) => ` ${line}`),
    " A comment on NORMAL OPERATION speaks of the scenario's own simulation.",
  ].join('\n');
  comment(document, notesOn(scenario, normalOf(scenario)));
  return document.toString({ lineWidth: 0 });
}

/** Above the rule, where who reads the file meets it. */
function comment(document: Document, notes: ReadonlyMap<string, string>): void {
  visit(document, {
    Map(_, map) {
      const text = notes.get(String(map.get('alert')));
      if (text !== undefined) map.commentBefore = ` ${text}`;
    },
  });
}
