import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { eventually } from '../../helpers/processes.js';

/** The user and group of all containers: `nobody`. */
export const CONTAINER_USER = 65534;

/** A container, which is a process of a user without rights and home folder, since there is no Docker. */
export interface ContainerOptions {
  /** The folder with the programs of the image. */
  programs: string;
  environment: NodeJS.ProcessEnv;
  /** Whether the process is one of root. Default: false. */
  isRoot?: boolean;
}

/** Starts a program in a container, with no environment but the given one. */
function spawnInContainer({ programs, environment, isRoot }: ContainerOptions, command: readonly string[]) {
  const user = isRoot ? {} : { uid: CONTAINER_USER, gid: CONTAINER_USER };
  const env = { HOME: '/nonexistent', ...environment, PATH: `${programs}:${process.env.PATH}` };
  const [program = '', ...args] = command;
  return spawn(program, args, { ...user, env, cwd: '/', stdio: 'pipe' });
}

/** Runs a program in a container to its end. Resolves with its status and output. */
export async function runInContainer(options: ContainerOptions, command: readonly string[], input = '') {
  const child = spawnInContainer(options, command);
  child.stdin.on('error', () => undefined); // it may end without reading its input
  child.stdin.end(input);
  const [output, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { status: Number(status ?? Number.NaN), output, errors };
}

/** A started container. */
export interface Container {
  /** Stops it as Docker does, by SIGTERM. Resolves with the exit status. */
  stop(): Promise<number | string | null>;
  kill(): Promise<unknown>;
}

/** Starts the command of a container. Resolves once its health check succeeds, which fails before. */
export async function startContainer(
  options: ContainerOptions & { command: readonly string[]; healthcheck: readonly string[] },
): Promise<Container> {
  const isHealthy = async (): Promise<boolean> => (await runInContainer(options, options.healthcheck)).status === 0;
  if (await isHealthy()) throw new Error('The health check succeeds without the process.');
  const child = spawnInContainer(options, options.command);
  const ended = once(child, 'close').then(([status, signal]): number | string | null => signal ?? status);
  const log = text(child.stderr);
  child.stdout.resume();
  await eventually(`${options.command.join(' ')} is healthy`, async () => {
    if (child.exitCode !== null) throw new Error(`The container has ended: ${await log}`);
    return isHealthy();
  });
  const end = (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal);
    return ended;
  };
  return { stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}
