import type { Claim, DrillReport, Step } from './drill.ts';

/** A drill's report for a terminal. */
export function drillText(report: DrillReport): string {
  const { head, isScript = false, lines, steps, claims, notFor, page } = report;
  const verdict = head.length > 0 && head.join('\n');
  const parts = [
    !isScript && verdict,
    lines.join('\n'),
    steps.length > 0 && section('steps', steps.map(stepText)),
    claims.length > 0 &&
      section('what the runbook says, and what was measured', claims.map(claimText)),
    notFor.length > 0 &&
      section(
        'who should not use this',
        notFor.map((text) => `  - ${text}`),
      ),
    isScript && verdict,
    page !== undefined && `page: ${page}`,
  ];
  return `${parts.filter((part) => part !== false).join('\n\n')}\n`;
}

function section(title: string, lines: readonly string[]): string {
  return [title, ...lines].join('\n');
}

function stepText({ step, ok, seen }: Step): string {
  return `  ${ok ? 'ok    ' : 'FAILED'} ${step}${seen === '' ? '' : ` (${seen})`}`;
}

function claimText({ claim, measured, verdict }: Claim): string {
  return `  "${claim}"\n    ${verdict}: ${measured}`;
}
