import path from 'node:path';
import {
  changeEntry,
  createDurableNode,
  createNode,
  type DiskFolder,
  type DiskNode,
  findPlace,
  type Moment,
  type Place,
  readFile,
  renameEntry,
  syncNode,
  type Tree,
} from './disk.js';
import type { SystemCall } from './system-calls.js';

/** An open file or folder. `position`: of the next write. */
interface Description {
  node: DiskNode;
  path: string;
  position: number;
}

/** A write to something other than a file of the folder. `peer`: the IP address of the client if it is a connection. */
export interface Output {
  line: number;
  peer: string | undefined;
  bytes: Buffer;
}

/** Returns the line on which a call takes effect. A descriptor is free for another thread before `close` returns. */
function effectLineOf({ name, entered, returned }: SystemCall): number {
  return name === 'close' ? entered : returned;
}

function momentOf({ entered, returned }: SystemCall): Moment {
  return { entered, returned };
}

/**
 * Replays the calls of a trace on a model of the disk that contains the folder `root`. Throws for a call that changes the
 * folder in a way that the model does not support.
 */
export class TraceReplay {
  readonly root: DiskFolder;
  /** Called for each output of the traced processes. */
  onOutput: (output: Output) => void = () => undefined;
  /** Called for each change or sync in the folder. */
  onChange: (call: SystemCall) => void = () => undefined;
  readonly #rootPath: string;
  readonly #calls: readonly SystemCall[];
  #next = 0;
  /** Process and file descriptor → what is open. */
  readonly #descriptions = new Map<string, Description>();

  /** Name of a call → its handler. Calls that are not listed are ignored outside of the folder, and refused in it. */
  readonly #handlers: Record<string, (call: SystemCall) => void> = {
    open: (call) => this.#open(call),
    close: (call) => this.#descriptions.delete(this.#key(call)),
    dup: (call) => this.#duplicate(call),
    dup2: (call) => this.#duplicate(call),
    dup3: (call) => this.#duplicate(call),
    fcntl: (call) => call.text.includes('F_DUPFD') && this.#duplicate(call),
    write: (call) => this.#write(call),
    writev: (call) => this.#write(call),
    pwrite: (call) => this.#write(call),
    pwritev: (call) => this.#write(call),
    copy_file_range: (call) => this.#copy(call, call.numbers[0], call.numbers[1]),
    sendfile: (call) => this.#copy(call, call.numbers[1], call.numbers[0]),
    ftruncate: (call) => this.#resize(call),
    fsync: (call) => this.#sync(call),
    fdatasync: (call) => this.#sync(call),
    sync_file_range: () => undefined, // makes nothing durable: the disk may have a cache
    mmap: (call) => this.#map(call),
    rename: (call) => this.#moveOrLink(call),
    link: (call) => this.#moveOrLink(call),
    mkdir: (call) => this.#createFolder(call),
    unlink: (call) => this.#unlink(call),
    rmdir: (call) => this.#unlink(call),
  };

  /** `tree`: the content of the folder before the trace; undefined if it did not exist. */
  constructor(calls: readonly SystemCall[], rootPath: string, tree: Tree) {
    this.#calls = calls.toSorted((one, other) => effectLineOf(one) - effectLineOf(other));
    this.#rootPath = rootPath;
    const root = createDurableNode(tree);
    if (root.type !== 'folder') throw new TypeError('Invalid tree: expected a folder.');
    this.root = root;
  }

  /** Replays all calls that returned before `line`. */
  advanceTo(line: number): void {
    for (; ; this.#next += 1) {
      const call = this.#calls[this.#next];
      if (!call || effectLineOf(call) >= line) return;
      this.#apply(call);
    }
  }

  #apply(call: SystemCall): void {
    const { name, text } = call;
    const handle = this.#handlers[name.replace(/(at2?|64)$/, '')];
    const isRelative = name.endsWith('at') && !text.includes('AT_FDCWD');
    const isUnsupported = isRelative || !handle;
    if (name === 'io_uring_setup' || (isUnsupported && this.#concernsRoot(call))) this.#refuse(call);
    handle?.(call);
  }

  /** Refuses writes to mapped files. SQLite maps its index of the write-ahead log, which it can rebuild. */
  #map(call: SystemCall): void {
    this.#withNode(
      call,
      ({ path: file }) => {
        const isWritable = call.text.includes('MAP_SHARED') && call.text.includes('PROT_WRITE');
        if (isWritable && !file.endsWith('-shm')) this.#refuse(call);
      },
      1,
    );
  }

  #sync(call: SystemCall): void {
    this.#withNode(call, ({ node }) => {
      syncNode(node, call);
      this.onChange(call);
    });
  }

  #createFolder(call: SystemCall): void {
    this.#changePlace(call, (place) => changeEntry({ ...place, node: createNode('folder'), ...momentOf(call) }));
  }

  #unlink(call: SystemCall): void {
    this.#changePlace(call, (place) => changeEntry({ ...place, ...momentOf(call) }));
  }

  #refuse(call: SystemCall): never {
    throw new Error(`The replay does not support this call on line ${call.returned + 1}: ${call.text}`);
  }

  #key(call: SystemCall, descriptor = call.numbers[0]): string {
    return `${call.process}:${descriptor}`;
  }

  #withNode(call: SystemCall, use: (description: Description) => void, argument = 0): void {
    const description = this.#descriptions.get(this.#key(call, call.numbers[argument]));
    if (description) use(description);
  }

  #concernsRoot(call: SystemCall): boolean {
    const isInside = call.strings.some((text) => this.#relative(text.toString()) !== undefined);
    return isInside || call.numbers.some((number) => this.#descriptions.has(this.#key(call, number)));
  }

  /** Returns a path relative to the folder; undefined if it is outside. */
  #relative(file: string): string | undefined {
    if (file === this.#rootPath) return '';
    return file.startsWith(`${this.#rootPath}/`) ? file.slice(this.#rootPath.length + 1) : undefined;
  }

  #place(file: string): Place | undefined {
    const relative = this.#relative(path.normalize(file));
    return relative ? findPlace(this.root, relative) : undefined;
  }

  #changePlace(call: SystemCall, use: (place: Place) => unknown): void {
    const place = this.#place(String(call.strings[0]));
    if (!place) return;
    use(place);
    this.onChange(call);
  }

  #open(call: SystemCall): void {
    const file = path.normalize(String(call.strings[0]));
    const { text, entered, returned, result } = call;
    const place = this.#place(file);
    const isRoot = file === this.#rootPath;
    if (!place && !isRoot) return void this.#descriptions.delete(this.#key(call, result));
    let node: DiskNode | undefined = place ? place.folder.entries.get(place.name) : this.root;
    if (!node && place && text.includes('O_CREAT')) {
      node = createNode('file');
      changeEntry({ ...place, node, entered, returned });
      this.onChange(call);
    }
    if (!node) throw new Error(`The replay has no file ${file}, opened on line ${returned + 1}.`);
    if (text.includes('O_TRUNC') && node.type === 'file' && readFile(node).length > 0) {
      node.pending.push({ type: 'size', size: 0, entered, returned });
    }
    if (/O_(APPEND|D?SYNC|TMPFILE)\b/.test(text)) this.#refuse(call);
    this.#descriptions.set(this.#key(call, result), { node, path: file, position: 0 });
  }

  #duplicate(call: SystemCall): void {
    const description = this.#descriptions.get(this.#key(call));
    if (description) this.#descriptions.set(this.#key(call, call.result), description);
    else this.#descriptions.delete(this.#key(call, call.result));
  }

  #write(call: SystemCall): void {
    const { name, entered, returned, result, numbers } = call;
    const bytes = Buffer.concat(call.strings).subarray(0, result);
    const description = this.#descriptions.get(this.#key(call));
    if (!description) {
      this.onOutput({ line: entered, bytes, peer: call.peer });
      return;
    }
    const { node } = description;
    if (node.type !== 'file') return;
    const isPositioned = name.startsWith('p');
    const offset = isPositioned ? (numbers.at(-1) ?? 0) : description.position;
    node.pending.push({ type: 'write', offset, bytes, entered, returned });
    if (!isPositioned) description.position = offset + result;
    this.onChange(call);
  }

  /** Copies bytes from one file to another one in the kernel. The offset in the source is an argument. */
  #copy(call: SystemCall, sourceNumber: number | undefined, targetNumber: number | undefined): void {
    const source = this.#descriptions.get(this.#key(call, sourceNumber));
    const target = this.#descriptions.get(this.#key(call, targetNumber));
    if (!target) return;
    const offset = Number(/\[(\d+)\]/.exec(call.text)?.[1]);
    if (source?.node.type !== 'file' || target.node.type !== 'file' || Number.isNaN(offset)) this.#refuse(call);
    const bytes = readFile(source.node).subarray(offset, offset + call.result);
    target.node.pending.push({ type: 'write', offset: target.position, bytes, ...momentOf(call) });
    target.position += call.result;
    this.onChange(call);
  }

  #resize(call: SystemCall): void {
    this.#withNode(call, ({ node }) => {
      if (node.type !== 'file') return;
      node.pending.push({ type: 'size', size: call.numbers.at(-1) ?? 0, ...momentOf(call) });
      this.onChange(call);
    });
  }

  #moveOrLink(call: SystemCall): void {
    const [source, target] = call.strings.map((text) => this.#place(text.toString()));
    if (!source && !target) return;
    if (!source || !target || call.text.includes('RENAME_EXCHANGE')) this.#refuse(call);
    if (call.name.startsWith('rename')) renameEntry(source, target, call);
    else {
      const node = source.folder.entries.get(source.name);
      if (!node) this.#refuse(call);
      changeEntry({ ...target, node, ...momentOf(call) });
    }
    this.onChange(call);
  }
}
