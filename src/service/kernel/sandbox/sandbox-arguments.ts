import { existsSync } from 'node:fs';
import path from 'node:path';
import { type BoundFile, LIBRARY_FOLDER } from './find-libraries.js';
import { INPUT_FOLDER, OUTPUT_FOLDER } from './sandbox-folder.js';

const NODE = '/bin/node';
const PROGRAM_FOLDER = '/kernel/program';

/** The packages that the kernel loads. The bundle contains all others. */
const PACKAGES = ['occt-import-js', 'assimpjs', 'rhino3dm', 'web-ifc'];

// Debian's package of Node.js reads some of its own modules from here.
const NODE_MODULES_OF_DEBIAN = '/usr/share/nodejs';

/** Returns the folder and its parents, the nearest first. */
function listParents(folder: string): string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...listParents(parent)];
}

/** Finds the packages, and the `package.json` of the program, where Node.js looks for them. */
function findPackageFiles(program: string): BoundFile[] {
  const parents = listParents(path.dirname(program));
  const find = (...names: string[]): string | undefined =>
    parents.map((parent) => path.join(parent, ...names)).find((file) => existsSync(file));
  return ['package.json', ...PACKAGES.map((name) => `node_modules/${name}`)].flatMap((name) => {
    const source = find(name);
    return source === undefined ? [] : [{ source, target: `/kernel/${name}` }];
  });
}

function bindReadOnly({ source, target }: BoundFile): string[] {
  return ['--ro-bind', source, target];
}

/**
 * Returns the arguments of `bwrap` for a sandbox that contains Node.js, `libraries` and the folder of `program`, read-only, and
 * nothing else of this machine: no other file, process, environment variable or network. Only `OUTPUT_FOLDER` can be written.
 * The process ends with the thread that started it. The last argument is Node.js: its arguments follow.
 *
 * @param folder the folder of a `SandboxFolder`
 */
export function createSandboxArguments(program: string, libraries: readonly BoundFile[], folder: string): string[] {
  const files = [{ source: process.execPath, target: NODE }, ...libraries, ...findPackageFiles(program)];
  return [
    ...['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL'],
    ...['--unsetenv', 'PATH', '--setenv', 'LD_LIBRARY_PATH', LIBRARY_FOLDER],
    ...['--proc', '/proc'],
    ...['/dev/null', '/dev/urandom'].flatMap((device) => ['--dev-bind', device, device]),
    ...files.flatMap(bindReadOnly),
    ...['--ro-bind-try', NODE_MODULES_OF_DEBIAN, NODE_MODULES_OF_DEBIAN],
    ...bindReadOnly({ source: path.dirname(program), target: PROGRAM_FOLDER }),
    ...bindReadOnly({ source: path.join(folder, 'in'), target: INPUT_FOLDER }),
    ...['--bind', path.join(folder, 'out'), OUTPUT_FOLDER],
    // A service that runs as root could write to /proc/sys.
    ...['--remount-ro', '/proc', '--remount-ro', '/', '--chdir', OUTPUT_FOLDER],
    ...['--', NODE],
  ];
}

/** Returns the path of the kernel program in the sandbox. */
export function programInSandbox(program: string): string {
  return path.posix.join(PROGRAM_FOLDER, path.basename(program));
}
