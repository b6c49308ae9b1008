import type { Arrivals } from '../../scenario/types.ts';
import { columnsOf } from './columns.ts';
import { objectOn } from './row.ts';

export type Format = Exclude<Extract<Arrivals, { readonly process: 'trace' }>['format'], 'auto'>;

/** The format of a file by its first line. Mooncake and Qwen differ by the conversation's number alone. */
export function formatOf(firstLine: string): Format {
  const values = objectOn(firstLine);
  if (values !== undefined) {
    if ('chat_id' in values) return 'qwen';
    return 'input_length' in values ? 'mooncake' : 'loadline';
  }
  const columns = columnsOf(firstLine);
  if (columns.has('contexttokens') && columns.has('timestamp')) return 'azure';
  if (columns.has('request tokens') && columns.has('response tokens')) return 'burstgpt';
  return columns.has('atus') && columns.has('serviceus') ? 'loadline' : 'csv';
}
