import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { findUserDir } from '../local-path.js';
import { readLocalSettings } from '../local-service/local-program.js';
import { asRecord, isNonBlankString } from '../message/message-input.js';

/**
 * The names of the files that Node-RED keeps in the user directory, with their backups: settings, flows, credentials,
 * sessions, contexts, libraries and packages.
 */
const OWN_NAME = /\.(?:[cm]?js|jsonl?)(?:$|[~\s]|[._-](?:$|back|bak|copy|old|orig|save|swp|tmp|\$|\d\d))|^\.npmrc$/i;
/** Folders with secrets below the user directory: repositories and SSH keys of projects, and uploads of others. */
const OWN_FOLDERS = new Set(['.git', '.ssh', '.sshkeys', 'model-processing-spool']);

/** The environment variables that name files with credentials. */
const CREDENTIALS_VARIABLE = /^MODEL_PROCESSING_\w+_FILE$/;

/** Where the files of Node-RED and of the local service are. Paths of messages never lead to them. */
export interface OwnFiles {
  userDir: string;
  /** The data folder of the local service. */
  dataDir: string;
  /** Settings, flows and credentials, which may be outside of the user directory. They need not exist. */
  files: readonly string[];
}

/**
 * Reads where the files of Node-RED and of the local service are, from the settings of Node-RED and the environment,
 * which may name files with the credentials of a remote service.
 */
export function readOwnFiles(settings: object, environment: NodeJS.ProcessEnv = process.env): OwnFiles {
  const { settingsFile, flowFile, modelProcessing } = asRecord(settings);
  const userDir = findUserDir(settings);
  const { dataDir } = readLocalSettings(modelProcessing, userDir);
  const credentials = Object.entries(environment).filter(([name]) => CREDENTIALS_VARIABLE.test(name));
  const files = [settingsFile, ...listFlowFiles(flowFile, userDir), ...credentials.map(([, file]) => file)];
  return { userDir, dataDir, files: files.filter(isNonBlankString) };
}

// Node-RED looks for a relative flow file in the working directory first, then in the user directory. The credentials
// are in the user directory, also if the flows are not.
function listFlowFiles(flowFile: unknown, userDir: string): string[] {
  if (!isNonBlankString(flowFile)) return [];
  const { name, ext } = path.parse(flowFile);
  const files = [path.resolve(flowFile), path.resolve(userDir, flowFile), path.join(userDir, `${name}_cred${ext}`)];
  return files.flatMap((file) => [file, path.join(path.dirname(file), `.${path.basename(file)}.backup`)]);
}

/**
 * Returns whether a file belongs to Node-RED or to the local service. `file` is a path without links, of a file that
 * need not exist. Files and folders are compared by their identity in the file system, not by their names: another
 * case, a short name, a bind mount or a hard link leads to the same file.
 */
export async function isOwnFile(file: string, own: OwnFiles): Promise<boolean> {
  const [userDir, dataDir] = await Promise.all([identify(own.userDir), identify(own.dataDir)]);
  const segments = [path.basename(file)];
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    const identity = await identify(folder);
    if (identity !== undefined && identity === dataDir) return true;
    if (identity !== undefined && identity === userDir && hasOwnName(segments)) return true;
    if (folder === path.dirname(folder)) break;
    segments.unshift(path.basename(folder));
  }
  const identity = await identify(file);
  if (identity === undefined) return false;
  const identities = await Promise.all((await listSecretFiles(own)).map(identify));
  return identities.includes(identity);
}

function hasOwnName(segments: readonly string[]): boolean {
  const folders = segments.slice(0, -1);
  return OWN_NAME.test(segments.at(-1) ?? '') || folders.some((folder) => OWN_FOLDERS.has(folder.toLowerCase()));
}

// The files that a hard link from elsewhere must not lead to.
async function listSecretFiles({ userDir, dataDir, files }: OwnFiles): Promise<string[]> {
  const list = (folder: string) => readdir(folder).catch(() => []);
  const [userFiles, dataFiles] = await Promise.all([list(userDir), list(dataDir)]);
  return [
    ...files,
    ...userFiles.filter((name) => OWN_NAME.test(name)).map((name) => path.join(userDir, name)),
    ...dataFiles.map((name) => path.join(dataDir, name)),
  ];
}

// Returns `undefined` if there is no such file. File systems without file numbers report 0.
async function identify(file: string): Promise<string | undefined> {
  const stats = await stat(file, { bigint: true }).catch(() => undefined);
  if (stats === undefined) return undefined;
  return stats.ino === 0n ? path.resolve(file).toLowerCase() : `${stats.dev} ${stats.ino}`;
}
