import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { NodeMessage } from 'node-red';
import type { UploadSource } from '../../../src/client/index.js';
import { assertNoUrl, expandHome } from '../local-path.js';
import { findFilename } from '../message/filename.js';
import { asRecord, isNonBlankString } from '../message/message-input.js';
import { checkSourcePath } from '../node/field-rules.js';
import { createNodeError } from '../node/flow-error.js';
import type { NodeInput } from '../node/node-input.js';
import { waitUntilStable } from './wait-until-stable.js';

/** The size of a stream in the message until its bytes are counted. */
export const SIZE_UNKNOWN = 0;

/** The sample models bundled with the package, so that example flows run as imported. */
export const SAMPLES = ['bracket.stl'] as const;

/** Returns the path of a bundled sample. Throws `INPUT_INVALID` if there is no sample of this name. */
function resolveSample(name: string): string {
  const match = SAMPLES.find((sample) => sample === name);
  if (!match) throw createNodeError('INPUT_INVALID', `Invalid sample "${name}": expected ${SAMPLES.join(', ')}.`);
  return fileURLToPath(new URL(`../../../../samples/${match}`, import.meta.url));
}

/** A source of an upload, with its filename. */
export interface NamedSource {
  source: UploadSource;
  filename: string;
  /** In bytes; `undefined` for a stream. */
  size: number | undefined;
}

/** The settings of the source of an upload. */
export interface UploadSettings {
  source: string;
  sourceType: string;
  filename: string;
  filenameType: string;
  waitComplete: boolean;
  completeSeconds: number;
}

/**
 * Reads the source of an upload: a Buffer, a stream, a path (the file is streamed) or a file of a form. Throws
 * `INPUT_MISSING` if there is no source or no filename, `INPUT_INVALID` for a URL and for values of other types,
 * `FILE_UNREADABLE` if the file of a path cannot be read, or is a folder.
 */
export async function readUploadSource(input: NodeInput<UploadSettings>): Promise<NamedSource> {
  const { settings, msg, evaluate, RED } = input;
  const description =
    settings.sourceType === 'msg' ? `msg.${settings.source}` : `${settings.sourceType} "${settings.source}"`;
  const inputValue =
    settings.sourceType === 'sample'
      ? resolveSample(settings.source)
      : await evaluate({ value: settings.source, type: settings.sourceType });
  const form = readFormFile(inputValue, isDefaultSource(settings) ? msg : {});
  const value = form ? form.content : inputValue;
  // A stream may fail before it is read. Without a listener, its `error` event would terminate Node-RED. Its reader
  // gets the error again.
  if (value instanceof Readable) value.on('error', () => undefined);
  if (value === undefined || value === null || value === '')
    throw createNodeError('INPUT_MISSING', `Nothing to upload: ${description} is empty.`);
  const unnamedSource = classifySource(value, description, workingDirectory(RED.settings));
  const nameSetting = await evaluate({ value: settings.filename, type: settings.filenameType });
  // A sample keeps its name: `msg.filename` belongs to another file.
  const nameSource =
    settings.sourceType === 'sample' ? {} : form ? { filename: msg.filename, req: { files: [form] } } : msg;
  const filename = findFilename(nameSetting, nameSource, 'path' in unnamedSource ? unnamedSource.path : undefined);
  if (filename === undefined)
    throw createNodeError(
      'INPUT_MISSING',
      `No filename for ${description}. Set one in the node's properties or in msg.filename.`,
    );
  let size = await sizeOf(unnamedSource);
  if ('path' in unnamedSource && settings.waitComplete && settings.sourceType !== 'sample') {
    await waitUntilComplete(input, unnamedSource.path);
    size = await sizeOf(unnamedSource);
  }
  return { source: { ...unnamedSource, filename }, filename, size };
}

async function waitUntilComplete(input: NodeInput<UploadSettings>, file: string): Promise<void> {
  const { settings, connection, signal, activity } = input;
  activity.waiting(input.text('completing'));
  const timeoutMs = connection.waitTimeoutMs;
  await waitUntilStable(file, { stableMs: settings.completeSeconds * 1000, timeoutMs, signal });
}

/** A file of a form, as in `msg.req.files` of an *http in* node: its content or path, and its name. */
interface FormFile {
  content: unknown;
  originalname: string;
}

/**
 * Returns the first file of a form in `value`, else in `msg.req.files`: if `msg.payload` has the fields of the form,
 * its files are there. Returns `undefined` if `value` itself is the source.
 */
function readFormFile(value: unknown, msg: NodeMessage): FormFile | undefined {
  if (isNonBlankString(value) || value instanceof Uint8Array || value instanceof Readable) return undefined;
  for (const candidate of [value, asRecord(msg.req).files]) {
    const { buffer, path: storedPath, originalname } = asRecord(Array.isArray(candidate) ? candidate[0] : candidate);
    const content = buffer instanceof Uint8Array ? buffer : storedPath;
    if (isNonBlankString(originalname) && content !== undefined) return { content, originalname };
  }
  return undefined;
}

function isDefaultSource({ source, sourceType }: UploadSettings): boolean {
  return sourceType === 'msg' && source === 'payload';
}

/** A source without a filename. */
type UnnamedSource = { path: string } | { data: Uint8Array } | { stream: Readable };

function classifySource(value: unknown, description: string, folder: string): UnnamedSource {
  if (value instanceof Uint8Array) return { data: value };
  if (value instanceof Readable) return { stream: value };
  if (!isNonBlankString(value))
    throw createNodeError(
      'INPUT_INVALID',
      `Invalid ${description}: expected a Buffer, a path or a stream, not a value of type ${typeof value}.`,
    );
  if (checkSourcePath(value)?.reason === 'sourcePath')
    throw createNodeError(
      'INPUT_INVALID',
      `The string in ${description} is not a path. To upload file content, pass a Buffer.`,
    );
  const remedy = 'Download the file first, for example with an http request node that returns a Buffer.';
  // The description of a fixed value contains the value.
  assertNoUrl(value, description.startsWith('msg.') ? description : 'path', remedy);
  return { path: path.resolve(folder, expandHome(value)) };
}

async function sizeOf(unnamedSource: UnnamedSource): Promise<number | undefined> {
  if ('data' in unnamedSource) return unnamedSource.data.byteLength;
  if ('stream' in unnamedSource) return undefined;
  const stats = await stat(unnamedSource.path).catch((error: unknown) => {
    throw createNodeError(
      'FILE_UNREADABLE',
      `Could not read ${unnamedSource.path}: ${Object(error).code ?? error}. Check the path and its permissions.`,
    );
  });
  if (stats.isDirectory())
    throw createNodeError(
      'FILE_UNREADABLE',
      `Could not read ${unnamedSource.path}: it is a folder. Send one message with the path of each file in it.`,
    );
  return stats.size;
}

// Relative paths are resolved as in the core file nodes: `fileWorkingDirectory` of settings.js, else the working
// directory.
function workingDirectory(settings: object): string {
  const folder = 'fileWorkingDirectory' in settings ? settings.fileWorkingDirectory : undefined;
  return isNonBlankString(folder) ? folder : '';
}
