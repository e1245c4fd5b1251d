import { linkSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Tree } from './disk.js';

/** Reads a folder. Names of the same file have the same `Buffer`. */
export function readTree(folder: string, files: Map<number, Buffer> = new Map()): Tree {
  const tree: Tree = new Map();
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    const { ino } = statSync(file);
    const content = entry.isDirectory() ? readTree(file, files) : (files.get(ino) ?? readFileSync(file));
    if (Buffer.isBuffer(content)) files.set(ino, content);
    tree.set(entry.name, content);
  }
  return tree;
}

function isZero(bytes: Buffer): boolean {
  return bytes[0] === 0 && bytes.subarray(1).equals(bytes.subarray(0, -1));
}

/** Writes a tree to a new folder. Does not store files that contain zeros only. */
export function writeTree(folder: string, tree: Tree, files: Map<Buffer, string> = new Map()): void {
  mkdirSync(folder, { mode: 0o700 });
  for (const [name, content] of tree) {
    const file = path.join(folder, name);
    if (!Buffer.isBuffer(content)) {
      writeTree(file, content, files);
      continue;
    }
    const existing = files.get(content);
    if (existing !== undefined) {
      linkSync(existing, file);
      continue;
    }
    files.set(content, file);
    writeFileSync(file, isZero(content) ? '' : content, { mode: 0o600 });
    if (isZero(content)) truncateSync(file, content.length);
  }
}
