import should from 'should';
import { createRandom } from '../support/random.js';
import type { Tree } from './disk.js';
import { choosePowerLoss, losePower } from './power-loss.js';
import { readSystemCalls } from './system-calls.js';
import { TraceReplay } from './trace-replay.js';

const STATES = 300;

/** Encodes the strings of a trace as strace does with `-xx`. Adds the id of thread 7 to lines without one. */
function trace(lines: string[]): string {
  const encode = (text: string): string =>
    `"${[...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}"`;
  const encoded = lines.map((line) => line.replaceAll(/"([^"]*)"/g, (_all, text: string) => encode(text)));
  return encoded.map((line) => (/^\d/.test(line) ? line : `7     ${line}`)).join('\n');
}

/** Renders a tree as paths and texts, such as `a=old folder/b=new`. */
function render(tree: Tree, prefix = ''): string {
  return [...tree]
    .flatMap(([name, content]) =>
      Buffer.isBuffer(content) ? `${prefix}${name}=${content}` : render(content, `${prefix}${name}/`) || [],
    )
    .sort()
    .join(' ');
}

/** Returns the different states that random losses of power leave after all lines. `/d` contains `before`. */
function statesAfter(lines: string[], before: Tree = new Map()): string[] {
  const replay = new TraceReplay(readSystemCalls(trace(lines)), '/d', before);
  replay.advanceTo(lines.length);
  const random = createRandom(1);
  const draw = (): string => render(losePower(replay.root, choosePowerLoss(random), random));
  return [...new Set(Array.from({ length: STATES }, draw))].sort();
}

const OLD: Tree = new Map([['a', Buffer.from('old')]]);
const CREATE = ['openat(AT_FDCWD, "/d/a.new", O_WRONLY|O_CREAT|O_EXCL, 0600) = 3', 'write(3, "new", 3) = 3'];
const SYNC_FILE = ['fsync(3) = 0', 'close(3) = 0'];
const RENAME = ['rename("/d/a.new", "/d/a") = 0'];
const SYNC_FOLDER = ['openat(AT_FDCWD, "/d", O_RDONLY|O_DIRECTORY) = 5', 'fsync(5) = 0', 'close(5) = 0'];

describe('a loss of power', () => {
  it('leaves the new content of a file that was synced, renamed and its folder synced', () => {
    statesAfter([...CREATE, ...SYNC_FILE, ...RENAME, ...SYNC_FOLDER], OLD).should.eql(['a=new']);
  });

  it('leaves the old or the new content until the folder is synced', () => {
    statesAfter([...CREATE, ...SYNC_FILE, ...RENAME], OLD).should.eql(['a.new=new a=old', 'a=new', 'a=old']);
  });

  it('loses the bytes of a file that was renamed without a sync', () => {
    const states = statesAfter([...CREATE, 'close(3) = 0', ...RENAME, ...SYNC_FOLDER], OLD);
    states.should.eql(['a=', 'a=\0\0\0', 'a=new']);
  });

  it('loses the name of a new file that was synced, but not its folder', () => {
    statesAfter([...CREATE, ...SYNC_FILE]).should.eql(['', 'a.new=new']);
  });

  it('loses files in a folder whose own name was not synced', () => {
    const create = ['mkdir("/d/f", 0777) = 0', 'openat(AT_FDCWD, "/d/f/b", O_WRONLY|O_CREAT, 0600) = 3'];
    const lines = [...create, 'write(3, "b", 1) = 1', 'fsync(3) = 0'];
    const syncInner = ['openat(AT_FDCWD, "/d/f", O_RDONLY) = 4', 'fsync(4) = 0'];
    statesAfter([...lines, ...syncInner]).should.eql(['', 'f/b=b']);
    statesAfter([...lines, ...syncInner, ...SYNC_FOLDER]).should.eql(['f/b=b']);
  });

  it('leaves one or both names of a file that was moved to a folder that was synced', () => {
    const before: Tree = new Map(OLD).set('f', new Map());
    const rename = ['rename("/d/a", "/d/f/a") = 0'];
    statesAfter(rename, before).should.eql(['a=old', 'a=old f/a=old', 'f/a=old']);
    const sync = ['openat(AT_FDCWD, "/d/f", O_RDONLY) = 4', 'fsync(4) = 0'];
    statesAfter([...rename, ...sync], before).should.eql(['a=old f/a=old', 'f/a=old']);
  });

  it('brings back a deleted file until the folder is synced', () => {
    statesAfter(['unlink("/d/a") = 0'], OLD).should.eql(['', 'a=old']);
    statesAfter(['unlink("/d/a") = 0', ...SYNC_FOLDER], OLD).should.eql(['']);
  });

  it('tears and reorders writes at sectors of 512 bytes', () => {
    const before: Tree = new Map([['a', Buffer.alloc(1536, 'o')]]);
    const write = (text: string, offset: number): string =>
      `pwrite64(3, "${text}", ${text.length}, ${offset}) = ${text.length}`;
    const open = 'openat(AT_FDCWD, "/d/a", O_RDWR) = 3';
    const states = statesAfter([open, write('1'.repeat(1024), 0), write('2'.repeat(512), 1024)], before);
    const sectors = states.map((state) => state.slice(2).replaceAll(/(.)\1{511}/g, '$1'));
    sectors.should.eql(['11o', '112', '1o2', '1oo', 'o12', 'o1o', 'oo2', 'ooo'].sort());
  });

  it('loses or keeps a cut of the size', () => {
    statesAfter(['openat(AT_FDCWD, "/d/a", O_RDWR) = 3', 'ftruncate(3, 1) = 0'], OLD).should.eql(['a=o', 'a=old']);
  });

  it('leaves writes that returned before the sync started, not those that ran at the same time', () => {
    const concurrent = [
      '7  openat(AT_FDCWD, "/d/a", O_RDWR) = 3',
      '7  clone3({flags=CLONE_VM|CLONE_THREAD, tls=0x7f}, 88) = 8',
      '7  pwrite64(3, "X", 1, 0) = 1',
      '7  fsync(3 <unfinished ...>',
      '8  pwrite64(3, "Y", 1, 2 <unfinished ...>',
      '7  <... fsync resumed>) = 0',
      '8  <... pwrite64 resumed>) = 1',
    ];
    statesAfter(concurrent, OLD).should.eql(['a=XlY', 'a=Xld']);
  });
});

describe('TraceReplay', () => {
  it('passes on replies with the address of the client, and the line on which they were sent', () => {
    const reply = 'write(9<TCP:[127.0.0.1:8484->127.1.0.7:4711]>, "HTTP/1.1 200 OK", 15) = 15';
    const replay = new TraceReplay(readSystemCalls(trace([reply])), '/d', new Map());
    const outputs: string[] = [];
    replay.onOutput = ({ line, peer, bytes }) => outputs.push(`${line} ${peer} ${bytes}`);
    replay.advanceTo(1);
    outputs.should.eql(['0 127.1.0.7 HTTP/1.1 200 OK']);
  });

  it('replays what other threads did while a descriptor is being closed', () => {
    const clone = 'clone3({flags=CLONE_VM|CLONE_THREAD, tls=0x7f}, 88) = 8';
    const lines = [clone, ...CREATE, '8  close(9 <unfinished ...>', ...SYNC_FOLDER];
    const calls = readSystemCalls(trace([...lines, '8  <... close resumed>) = 0']));
    const replay = new TraceReplay(calls, '/d', new Map());
    replay.advanceTo(lines.length);
    should([...replay.root.durable.keys()]).eql(['a.new']);
  });

  it('ignores files of other folders, and calls that failed', () => {
    const lines = ['openat(AT_FDCWD, "/e/a", O_WRONLY|O_CREAT) = 3', 'unlink("/d/a") = -1 EACCES (Permission denied)'];
    statesAfter(lines, OLD).should.eql(['a=old']);
  });

  it('copies bytes that the kernel copies', () => {
    const open = ['openat(AT_FDCWD, "/d/a", O_RDONLY) = 3', 'openat(AT_FDCWD, "/d/b", O_WRONLY|O_CREAT, 0600) = 4'];
    const copy = ['copy_file_range(3, [1] => [3], 4, NULL, 8, 0) = 2', 'sendfile(4, 3, [0] => [1], 1) = 1'];
    statesAfter([...open, ...copy, 'fsync(4) = 0', ...SYNC_FOLDER], OLD).should.eql(['a=old b=ldo']);
  });

  it('refuses calls that it cannot follow', () => {
    const open = 'openat(AT_FDCWD, "/d/a", O_RDWR) = 3';
    const map = 'mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 3, 0) = 0x7f0000000000';
    for (const call of [map, 'fallocate(3, 0, 0, 100) = 0', 'symlink("/d/a", "/d/b") = 0']) {
      should(() => statesAfter([open, call], OLD)).throw(/does not support this call on line 2/);
    }
  });

  it('refuses a trace with incomplete strings', () => {
    should(() => readSystemCalls(trace(['write(3, "a"..., 100) = 100']))).throw(/incomplete string/);
  });
});
