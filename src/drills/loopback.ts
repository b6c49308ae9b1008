/** Whether anything reached out of this machine, as far as the system tells: Linux's own tables. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Remote ends of a process's connections that are not loopback; null: this system does not say. */
export function reachedBeyond(pids: readonly number[]): string[] | null {
  try {
    const inodes = new Set(pids.flatMap(socketInodes));
    const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(tableOf);
    return rows.filter(({ inode }) => inodes.has(inode)).flatMap(({ remote }) => beyond(remote));
  } catch {
    return null;
  }
}

/** Whether a process is still there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function socketInodes(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${fd}`))?.[1] ?? [];
    } catch {
      return [];
    }
  });
}

function tableOf(path: string): { remote: string; inode: string }[] {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .map((columns) => ({ remote: columns[2] ?? '', inode: columns[9] ?? '' }));
}

/** Addresses stand there in hexadecimal, each word in the byte order of the machine. */
function beyond(remote: string): string[] {
  const [address = '', port = ''] = remote.split(':');
  const isNone = /^0+$/.test(address);
  const isV4 = address.length === 8 && address.endsWith('7F');
  const isMapped = address.startsWith('0000000000000000FFFF0000') && address.endsWith('7F');
  const isV6 = address === '00000000000000000000000001000000';
  if (isNone || isV4 || isMapped || isV6) return [];
  return [`${address}:${Number.parseInt(port, 16)}`];
}
