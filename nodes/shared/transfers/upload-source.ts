import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { types } from 'node:util';
import type { NodeMessage } from 'node-red';
import type { UploadSource } from '../../../src/client/index.js';
import { assertNoUrl, expandHome } from '../local-path.js';
import { findBytes } from '../message/bytes.js';
import { findFilename } from '../message/filename.js';
import { decodeFormName, type FormFile, readFormFiles } from '../message/form-files.js';
import { asRecord, isNonBlankString } from '../message/message-input.js';
import { checkSourcePath } from '../node/field-rules.js';
import { createNodeError } from '../node/flow-error.js';
import type { NodeInput } from '../node/node-input.js';
import { openScopedFile, type PathScope, resolveBoundPath } from './bound-path.js';
import { assertNotFromClient, findSourceFolder, findWorkingDirectory, isRunTimeType } from './folder-setting.js';
import { readOwnFiles } from './own-files.js';
import { toReadable } from './to-readable.js';
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
  /** The names of the further files of a form, which are not uploaded. */
  ignoredNames: readonly string[];
}

/** The settings of the source of an upload. */
export interface UploadSettings {
  source: string;
  sourceType: string;
  folder: string | undefined;
  filename: string;
  filenameType: string;
  waitComplete: boolean;
  completeSeconds: number;
  allFormFiles: boolean;
}

type UploadInput = NodeInput<UploadSettings>;

/** A source without a filename. The file of a path is opened again for each use, so that its path is checked then. */
type UnnamedSource = FileSource | { data: Uint8Array } | { stream: Readable };

interface FileSource {
  path: string;
  open: () => Promise<FileHandle>;
}

/**
 * Returns the files of the form that the source of an upload is, one message for each of which is to be sent. Returns
 * `undefined` if the setting is off, or if the source is no list of files. Throws as `readFormFiles`.
 */
export async function findFormParts(input: UploadInput): Promise<FormFile[] | undefined> {
  const { settings, msg } = input;
  if (!settings.allFormFiles || settings.sourceType === 'sample') return undefined;
  const value = await readSourceValue(input);
  const form = findForm(value, isDefaultSource(settings) ? msg : {}, describeSource(settings));
  return form?.isList ? form.files : undefined;
}

/**
 * Reads the source of an upload: bytes, a stream, a file of a form, or a path (the file is streamed). A path that is
 * known only at run time must stay in the folder of the node. Throws `INPUT_MISSING` if there is no source or no
 * filename, `INPUT_INVALID` for a URL, a path out of the folder and values of other types, `FILE_UNREADABLE` if the
 * file of a path cannot be read, or is a folder.
 */
export async function readUploadSource(input: UploadInput): Promise<NamedSource> {
  const { settings, msg, part } = input;
  const description = describeSource(settings);
  const inputValue = part ? part.file.content : toReadable(await readSourceValue(input), description);
  const bytes = findBytes(inputValue);
  const found = bytes ? undefined : findForm(inputValue, isDefaultSource(settings) ? msg : {}, description);
  const [form, ...ignored] = part ? [part.file] : (found?.files ?? []);
  const value = form?.content ?? bytes ?? inputValue;
  if (value === undefined || value === null || value === '')
    throw createNodeError('INPUT_MISSING', `Nothing to upload: ${description} is empty.`);
  const unnamedSource = await classifySource(input, value, description);
  const filename = await findUploadFilename(input, form, 'path' in unnamedSource ? unnamedSource.path : undefined);
  if (filename === undefined)
    throw createNodeError(
      'INPUT_MISSING',
      `No filename for ${description}. Set one in the node's properties or in msg.filename.`,
    );
  let size = await readByteSize(unnamedSource);
  if ('path' in unnamedSource && settings.waitComplete && settings.sourceType !== 'sample') {
    await waitUntilComplete(input, unnamedSource.path);
    size = await readByteSize(unnamedSource);
  }
  const ignoredNames = ignored.map(({ originalname }) => decodeFormName(originalname));
  return { source: { ...unnamedSource, filename }, filename, size, ignoredNames };
}

function describeSource({ source, sourceType }: UploadSettings): string {
  return sourceType === 'msg' ? `msg.${source}` : `${sourceType} "${source}"`;
}

function readSourceValue({ settings, evaluate }: UploadInput): Promise<unknown> {
  const { source, sourceType } = settings;
  if (sourceType === 'sample') return Promise.resolve(resolveSample(source));
  return evaluate({ value: source, type: sourceType });
}

async function findUploadFilename(
  { settings, msg, evaluate, part }: UploadInput,
  form: FormFile | undefined,
  filePath: string | undefined,
): Promise<string | undefined> {
  // One name for several files would be wrong for all but one.
  if (form && part && part.count > 1) return findFilename(undefined, { req: { files: [form] } });
  const setting = await evaluate({ value: settings.filename, type: settings.filenameType });
  // A sample keeps its name: `msg.filename` belongs to another file.
  if (settings.sourceType === 'sample') return findFilename(setting, {}, filePath);
  if (!form) return findFilename(setting, msg, filePath);
  const { files } = asRecord(msg.req);
  const withForm = [form, ...(Array.isArray(files) ? files : [])];
  return findFilename(setting, { filename: msg.filename, req: { files: withForm } });
}

async function waitUntilComplete(input: UploadInput, file: string): Promise<void> {
  const { settings, connection, signal, activity } = input;
  activity.waiting(input.text('completing'));
  const timeoutMs = connection.waitTimeoutMs;
  await waitUntilStable(file, { stableMs: settings.completeSeconds * 1000, timeoutMs, signal });
}

/**
 * Returns the files of a form in `value`, else in `msg.req.files`: if `msg.payload` has the fields of the form, its files
 * are there. Returns `undefined` if `value` itself is the source. Throws as `readFormFiles`.
 */
function findForm(
  value: unknown,
  msg: NodeMessage,
  description: string,
): { files: FormFile[]; isList: boolean } | undefined {
  if (typeof value === 'string' || value instanceof Readable || findBytes(value)) return undefined;
  for (const candidate of [value, asRecord(msg.req).files]) {
    const files = readFormFiles(candidate, description);
    if (files.length > 0) return { files, isList: Array.isArray(candidate) };
  }
  return undefined;
}

function isDefaultSource({ source, sourceType }: UploadSettings): boolean {
  return sourceType === 'msg' && source === 'payload';
}

async function classifySource(input: UploadInput, value: unknown, description: string): Promise<UnnamedSource> {
  if (types.isUint8Array(value)) return { data: value };
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
  return createFileSource(input, value, description);
}

/**
 * Creates the source of a path. White space around the path is ignored, unless there is such a file: a path that a
 * program printed ends with a line end. A path that is fixed in the flow may lead anywhere, because its author chose it.
 */
async function createFileSource(input: UploadInput, value: string, description: string): Promise<FileSource> {
  const { msg, RED, settings } = input;
  const own = readOwnFiles(RED.settings);
  const isRunTime = isRunTimeType(settings.sourceType);
  const folder =
    isRunTime && settings.folder !== undefined ? findSourceFolder(settings.folder, RED.settings) : undefined;
  if (isRunTime && folder === undefined) assertNotFromClient(msg, description);
  const resolve = async (name: string) =>
    folder === undefined
      ? path.resolve(findWorkingDirectory(RED.settings) ?? '', expandHome(name))
      : resolveBoundPath(name, folder);
  const scope: PathScope = { folder, own };
  const trimmed = value.trim();
  const exact = trimmed === value ? undefined : await resolve(value);
  const isExact = exact !== undefined && (await canOpen(exact, scope));
  const file = isExact ? exact : await resolve(trimmed);
  return { path: file, open: () => openScopedFile(file, scope) };
}

async function canOpen(file: string, scope: PathScope): Promise<boolean> {
  const handle = await openScopedFile(file, scope).catch(() => undefined);
  await handle?.close();
  return handle !== undefined;
}

async function readByteSize(unnamedSource: UnnamedSource): Promise<number | undefined> {
  if ('data' in unnamedSource) return unnamedSource.data.byteLength;
  if ('stream' in unnamedSource) return undefined;
  const handle = await unnamedSource.open();
  try {
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}
