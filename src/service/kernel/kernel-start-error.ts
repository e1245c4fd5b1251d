import { existsSync } from 'node:fs';
import { codeOf, describeShortage, pathOf } from '../machine/system-errors.js';
import { ServiceError } from '../service-error.js';

/** The shell that limits the memory of kernel processes on Linux. */
export const SHELL = '/bin/sh';

/**
 * Returns the error of a kernel process that could not be started, in words, with the remedy: `KERNEL_UNAVAILABLE`.
 * `exists`: whether there is a file. For tests.
 */
export function explainKernelStartError(error: unknown, exists: (file: string) => boolean = existsSync): ServiceError {
  return createKernelStartError(findReason(error, exists), { cause: error });
}

/**
 * Returns the error of a process that ended before it ran the kernel: because Node.js or the kernel program is missing,
 * such as after an update while the service ran, because the shell could not limit its memory, or because there is no sandbox
 * any more. Returns `undefined` if it ended for another reason.
 */
export function explainEarlyExit({ stderr, code }: { stderr: string; code: number | null }): ServiceError | undefined {
  if (/\bulimit: /.test(stderr))
    return createKernelStartError(
      'the limit of this user for data in memory (ulimit -Hd) is lower than the memory limit of an operation. Raise it, or lower --memory',
    );
  const sandboxReason = /^(?:nice|bwrap): (.+)$/m.exec(stderr)?.[1];
  if (sandboxReason !== undefined)
    return createKernelStartError(
      `it got no sandbox (${sandboxReason}). If a program was updated or removed while the service ran, restart the service, or Node-RED`,
    );
  const isNodeMissing = code === 126 || code === 127;
  if (!isNodeMissing && !/Cannot find module '[^']*kernel-process\.js'/.test(stderr)) return undefined;
  const file = isNodeMissing ? process.execPath : 'its program';
  return createKernelStartError(
    `${file} cannot be run. If it was updated or removed while the service ran, restart the service, or Node-RED; else reinstall it`,
  );
}

function createKernelStartError(reason: string, options?: ErrorOptions): ServiceError {
  return new ServiceError('KERNEL_UNAVAILABLE', `Could not start a process for the operation: ${reason}.`, options);
}

function findReason(error: unknown, exists: (file: string) => boolean): string {
  const shortage = describeShortage(error);
  if (shortage !== undefined) return shortage;
  const file = pathOf(error) ?? SHELL;
  const code = codeOf(error);
  if (code === 'ENOENT' && file === SHELL && !exists(SHELL))
    return `this system has no ${SHELL}, which limits its memory. Install a shell, such as the package dash or busybox`;
  if (code === 'ENOENT') return `${file} is missing. Reinstall it`;
  if (code === 'EACCES' || code === 'EPERM')
    return `this user may not run ${file}. Check its permissions, and whether its file system is mounted with noexec`;
  return `the system refused it (${code ?? 'unknown reason'}). See the service log`;
}
