import type { Result } from '../result/types.ts';
import { chartFigure, type DrawnChart } from './document.ts';
import { badges } from './facts.ts';
import { type Html, html } from './html.ts';

export interface PageOptions {
  /** Instead of the scenario's name. */
  readonly title?: string;
  /** The program that makes it, with its version. */
  readonly maker?: string;
}

/** The line above everything: which scenario, from where. */
export function topLine(results: readonly Result[], name: string, what: string): Html {
  return html`<header class="top"><p><b>${name}</b></p>${badges(results)}<p>${what}</p></header>`;
}

export function chartSection(title: string, charts: readonly DrawnChart[]): Html {
  return html`<section><h2>${title}</h2><div class="charts">${charts.map(chartFigure)}</div></section>`;
}
