import type {
  BusyRow,
  DecisionRow,
  LeaseRow,
  PreemptRow,
  RequestRow,
  Row,
  StateRow,
} from '../../ledger/rows.ts';

/** Where the rows of a run go, by kind. A kind that is absent is not even worked out, so a sweep pays only for what it reads. */
export interface Sink {
  request?(row: RequestRow): void;
  state?(row: StateRow): void;
  busy?(row: BusyRow): void;
  decision?(row: DecisionRow): void;
  lease?(row: LeaseRow): void;
  preempt?(row: PreemptRow): void;
}

/** Every row of every kind, in the order in which they happen, to one function. */
export function rowSink(take: (row: Row) => void): Sink {
  return {
    request: take,
    state: take,
    busy: take,
    decision: take,
    lease: take,
    preempt: take,
  };
}
