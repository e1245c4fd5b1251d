/** A system call in a trace of strace. Lines count from 0. */
export interface SystemCall {
  /** The id of the process that the calling thread belongs to. */
  process: number;
  name: string;
  /** The call as text, with `$` for each string. */
  text: string;
  /** The string arguments, in order; of `writev`, the buffers. */
  strings: Buffer[];
  /** The decimal integers outside of strings and flags, in order. */
  numbers: number[];
  /** The IP address at the other end of the connection that the call uses. */
  peer?: string;
  result: number;
  /** The line on which the call started. */
  entered: number;
  /** The line on which it returned. */
  returned: number;
}

/** The calls that change files or sockets, and those that are needed to follow file descriptors. */
const CALLS = [
  'close,dup,dup2,dup3,fcntl,lseek',
  'creat,open,openat,openat2,mkdir,mkdirat,rmdir,unlink,unlinkat,link,linkat,symlink,symlinkat,rename,renameat,renameat2',
  'write,pwrite64,writev,pwritev,pwritev2,truncate,ftruncate,fallocate,sendfile,copy_file_range,splice,ioctl,mmap',
  'fsync,fdatasync,sync,syncfs,sync_file_range,msync',
  'clone,clone3,fork,vfork,io_uring_setup',
];

/** The arguments of strace for a trace that `readSystemCalls` understands. Strings are complete and hexadecimal. */
export const STRACE_ARGUMENTS = [
  ...['-f', '--seccomp-bpf', '-xx', '-s', '4000000'],
  ...['--decode-fds=socket', '-e', `trace=${CALLS.join(',')}`],
];

const RESUMED = /^<\.\.\. \w+ resumed>/;
const UNFINISHED = ' <unfinished ...>';
// After a file descriptor, such as `9<TCP:[127.0.0.1:8484->127.0.0.1:4711]>`.
const SOCKET = /(?<=\d)<[A-Za-z\d-]+:\[([^\]]*)\]>/g;

function decode(hex: string): Buffer {
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex');
}

/** Parses a complete call. Returns `undefined` if the process was killed before it returned. */
function parseCall(source: string): Omit<SystemCall, 'process' | 'entered' | 'returned'> | undefined {
  const end = source.lastIndexOf(' = ');
  const result = Number.parseInt(source.slice(end + 3), source.startsWith('0x', end + 3) ? 16 : 10);
  if (Number.isNaN(result)) return undefined;
  const strings: Buffer[] = [];
  let peer: string | undefined;
  const withoutStrings = source
    .slice(0, end)
    .replaceAll(/"([^"]*)"(\.\.\.)?/g, (_all, hex: string, isTruncated?: string) => {
      if (isTruncated) throw new Error('The trace contains an incomplete string.');
      strings.push(decode(hex));
      return '$';
    });
  const text = withoutStrings.replaceAll(SOCKET, (_all, addresses: string) => {
    peer ??= /->(.*):\d+$/.exec(addresses)?.[1];
    return '';
  });
  const numbers = (text.match(/(?<=[(, =])-?\d+(?=[,)\]}]|\s*$)/g) ?? []).map(Number);
  const name = text.slice(0, text.indexOf('('));
  return { name, text, strings, numbers, ...(peer !== undefined && { peer }), result };
}

/** Maps the id of each thread to the id of its process. */
function findProcesses(calls: { thread: number; text: string; result: number }[]): Map<number, number> {
  const processes = new Map<number, number>();
  for (const { thread, text, result } of calls) {
    if (!processes.has(thread)) processes.set(thread, thread);
    if (result > 0 && /^(clone|clone3|fork|vfork)\(/.test(text)) {
      processes.set(result, text.includes('CLONE_THREAD') ? (processes.get(thread) ?? thread) : result);
    }
  }
  return processes;
}

/**
 * Reads the output of strace with `STRACE_ARGUMENTS`. Returns the successful calls in the order in which they returned.
 * strace stops a thread when a call starts and when it returns, so the order of the lines is that of cause and effect.
 */
export function readSystemCalls(trace: string): SystemCall[] {
  const started = new Map<number, { source: string; entered: number }>();
  const calls: (Omit<SystemCall, 'process'> & { thread: number })[] = [];
  trace.split('\n').forEach((line, index) => {
    const [, id, rest] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    if (id === undefined || rest === undefined || /^(\+\+\+|---)/.test(rest)) return;
    const thread = Number(id);
    if (rest.endsWith(UNFINISHED)) {
      started.set(thread, { source: rest.slice(0, -UNFINISHED.length), entered: index });
      return;
    }
    const start = RESUMED.test(rest) ? started.get(thread) : { source: '', entered: index };
    if (!start) throw new Error(`Line ${index + 1} of the trace resumes a call that did not start.`);
    const call = parseCall(start.source + rest.replace(RESUMED, ''));
    if (call && call.result >= 0) calls.push({ ...call, thread, entered: start.entered, returned: index });
  });
  const processes = findProcesses(calls);
  const isFork = ({ name }: { name: string }): boolean => /^(clone3?|v?fork)$/.test(name);
  return calls
    .filter((call) => !isFork(call))
    .map(({ thread, ...call }) => ({ ...call, process: processes.get(thread) ?? thread }));
}
