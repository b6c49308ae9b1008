/** How much is played where one run is long: a search takes hundreds of settings. */

const MOST_RUNS = 100;
/** Arrivals of all runs of one setting, and the runs that intervals and bands are of at least. */
const DRAWN = { arrivals: 50_000, least: 20 };
/** The runs of a log differ only by what was not recorded; its bands are of other logs like it. */
const RECORDED = { arrivals: 25_000, least: 8 };

/**
 * Runs of each setting where nobody asks for a number.
 * @param arrivals of the longest run
 * @param isLog whether the arrivals of every scenario were recorded
 */
export function runsOfASetting(arrivals: number, isLog: boolean): number {
  const most = isLog ? RECORDED : DRAWN;
  const affordable = Math.floor(most.arrivals / Math.max(1, arrivals));
  return Math.min(MOST_RUNS, Math.max(most.least, affordable));
}

const ARRIVALS_OF_WORLDS = 4_000_000;
const MOST_RUNS_OF_A_WORLD = 8;
const MOST_SETTINGS = 24;
const LEAST_SETTINGS = 8;

/**
 * What is tried in each of several resampled worlds: fewer runs where they are long, then fewer settings.
 * @param arrivals of one run of all scenarios
 */
export function effortOfAWorld(
  worlds: number,
  arrivals: number,
): { readonly runs: number; readonly settings: number } {
  const runsAtOnce = ARRIVALS_OF_WORLDS / Math.max(1, worlds * arrivals);
  const within = (least: number, most: number, value: number) =>
    Math.min(most, Math.max(least, Math.floor(value)));
  const settings = within(LEAST_SETTINGS, MOST_SETTINGS, runsAtOnce);
  return { runs: within(1, MOST_RUNS_OF_A_WORLD, runsAtOnce / settings), settings };
}
