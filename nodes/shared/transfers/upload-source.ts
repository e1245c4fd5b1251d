import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { NodeMessage } from 'node-red';
import type { UploadSource } from '../../../src/client/index.js';
import { findFilename } from '../message/filename.js';
import { asRecord, isNonBlankString } from '../message/message-input.js';
import { createNodeError } from '../node/flow-error.js';
import type { NodeInput } from '../node/flow-node.js';
import { resolveSample } from './samples.js';
import { waitUntilStable } from './wait-until-stable.js';

/** What an upload's size is before anybody has counted. */
export const SIZE_UNKNOWN = 0;

/** Longer than any system's paths. Such a text is a file's content, which should not end up in an error's message. */
const MAX_PATH_LENGTH = 4096;

/** What to upload, under which name. `size` in bytes, where it is known beforehand. */
export interface NamedSource {
  source: UploadSource;
  filename: string;
  size: number | undefined;
}

/** The settings that say what to upload. */
export interface UploadSettings {
  source: string;
  sourceType: string;
  filename: string;
  filenameType: string;
  waitComplete: boolean;
  completeSeconds: number;
}

/**
 * Reads what the settings say is to be uploaded: a Buffer, a stream, a path (of a file that need not be read into memory), or a
 * file of a form.
 * `INPUT_MISSING` where there is nothing, or no file name; `INPUT_INVALID` for anything else; `FILE_UNREADABLE`.
 */
export async function readUploadSource(input: NodeInput<UploadSettings>): Promise<NamedSource> {
  const { settings, msg, evaluate, RED } = input;
  const place =
    settings.sourceType === 'msg' ? `msg.${settings.source}` : `${settings.sourceType} "${settings.source}"`;
  const match =
    settings.sourceType === 'sample'
      ? resolveSample(settings.source)
      : await evaluate({ value: settings.source, type: settings.sourceType });
  const form = readFormFile(match, isDefault(settings) ? msg : {});
  const value = form ? form.content : match;
  // A stream may break before anybody reads it, and with nobody to hear of it that would end Node-RED. Its reader is told again.
  if (value instanceof Readable) value.on('error', () => undefined);
  if (value === undefined || value === null || value === '')
    throw createNodeError('INPUT_MISSING', `there is nothing to upload in ${place}`);
  const unnamed = classifySource(value, place, workingDirectory(RED.settings));
  const nameSetting = await evaluate({ value: settings.filename, type: settings.filenameType });
  // The name of a sample is its own: a message's filename speaks of another file.
  const speaking =
    settings.sourceType === 'sample' ? {} : form ? { filename: msg.filename, req: { files: [form] } } : msg;
  const filename = findFilename(nameSetting, speaking, 'path' in unnamed ? unnamed.path : undefined);
  if (filename === undefined)
    throw createNodeError(
      'INPUT_MISSING',
      `what is in ${place} has no file name: set one, or put it into msg.filename`,
    );
  if ('path' in unnamed && settings.waitComplete && settings.sourceType !== 'sample')
    await waitUntilComplete(input, unnamed.path);
  return { source: { ...unnamed, filename }, filename, size: await sizeOf(unnamed) };
}

async function waitUntilComplete(input: NodeInput<UploadSettings>, file: string): Promise<void> {
  const { settings, connection, signal, activity } = input;
  activity.waiting(input.text('completing'));
  const timeoutMs = connection.waitTimeoutMs;
  await waitUntilStable(file, { stableMs: settings.completeSeconds * 1000, timeoutMs, signal });
}

/** A file of a form, as *http in* hands it on in `msg.req.files`: its bytes, or the path where they are kept, and its name. */
interface FormFile {
  content: unknown;
  originalname: string;
}

/** The file of a form where that is what was found: one, or the first of several. The fields of a form in `msg.payload` have theirs beside. */
function readFormFile(match: unknown, msg: NodeMessage): FormFile | undefined {
  if (isNonBlankString(match) || match instanceof Uint8Array || match instanceof Readable) return undefined;
  for (const candidate of [match, asRecord(msg.req).files]) {
    const { buffer, path: kept, originalname } = asRecord(Array.isArray(candidate) ? candidate[0] : candidate);
    const content = buffer instanceof Uint8Array ? buffer : kept;
    if (isNonBlankString(originalname) && content !== undefined) return { content, originalname };
  }
  return undefined;
}

function isDefault({ source, sourceType }: UploadSettings): boolean {
  return sourceType === 'msg' && source === 'payload';
}

/** What is to be uploaded, by its kind; its name is still to be found. */
type UnnamedSource = { path: string } | { data: Uint8Array } | { stream: Readable };

function classifySource(value: unknown, place: string, folder: string): UnnamedSource {
  if (value instanceof Uint8Array) return { data: value };
  if (value instanceof Readable) return { stream: value };
  if (!isNonBlankString(value))
    throw createNodeError(
      'INPUT_INVALID',
      `${place} is neither a Buffer nor a path nor a stream, but of type ${typeof value}`,
    );
  if (value.length > MAX_PATH_LENGTH || /[\n\0]/.test(value))
    throw createNodeError(
      'INPUT_INVALID',
      `the text in ${place} is no path; if it is a file's content, read the file as a Buffer`,
    );
  return { path: path.resolve(folder, value) };
}

async function sizeOf(unnamed: UnnamedSource): Promise<number | undefined> {
  if ('data' in unnamed) return unnamed.data.byteLength;
  if ('stream' in unnamed) return undefined;
  const { size } = await stat(unnamed.path).catch((error: unknown) => {
    throw createNodeError('FILE_UNREADABLE', `could not read ${unnamed.path}: ${Object(error).code ?? error}`);
  });
  return size;
}

// As the core file nodes: a setting of settings.js, else where Node-RED was started.
function workingDirectory(settings: object): string {
  const folder = 'fileWorkingDirectory' in settings ? settings.fileWorkingDirectory : undefined;
  return isNonBlankString(folder) ? folder : '';
}
