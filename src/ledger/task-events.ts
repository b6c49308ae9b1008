/** Reads ledgers in runbook 001's events, and gate's ledgers as if they had been written so. */
import { UserError } from '../errors.ts';
import { isRecord, parsed } from './codec.ts';
import type { GateHeader, GateLine } from './lines.ts';
import { Runbook001, type TaskEvent } from './runbook001.ts';

/**
 * Turns the text of a ledger into events, piece by piece, as it grows. A line that is no JSON is
 * torn (its writer was killed, or its disk was full): it is skipped and counted, wherever it stands.
 */
export class TaskLines {
  /** Lines that were skipped. */
  torn = 0;
  private rest = '';
  private number = 0;
  private projection: Runbook001 | undefined;

  constructor(private readonly name: string) {}

  /**
   * Takes the next piece and gives the events of the lines that it completes.
   * @throws UserError naming the line that is neither an event nor a line of a gate's ledger
   */
  push(text: string): TaskEvent[] {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.line(line));
  }

  /** Nothing more comes: a last line without its end counts where it is whole. */
  end(): TaskEvent[] {
    const { rest } = this;
    this.rest = '';
    return rest === '' ? [] : this.line(rest);
  }

  private line(text: string): TaskEvent[] {
    this.number++;
    if (text.trim() === '') return [];
    const value = parsed(text);
    if (value === undefined) {
      this.torn++;
      return [];
    }
    if (isTaskEvent(value)) return [value];
    return this.gateLine(value, text);
  }

  private gateLine(value: unknown, text: string): TaskEvent[] {
    if (isGateHeader(value)) {
      this.projection = new Runbook001(value.config);
      return [];
    }
    if (this.projection !== undefined && isGateLine(value)) return this.projection.take(value);
    throw new UserError(
      `${this.name}:${this.number}: expected an event of runbook 001 or a line of a gate's ledger, got ${text.slice(0, 60)}`,
    );
  }
}

function isTaskEvent(value: unknown): value is TaskEvent {
  return (
    isRecord(value) && typeof value['event'] === 'string' && typeof value['task_id'] === 'string'
  );
}

function isGateHeader(value: unknown): value is GateHeader {
  return isRecord(value) && value['ledger'] === 'gate' && isRecord(value['config']);
}

function isGateLine(value: unknown): value is GateLine {
  return isRecord(value) && typeof value['t'] === 'number';
}
