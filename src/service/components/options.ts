import type { PasswordCost } from '../auth/passwords.js';
import type { AddressFilter } from '../callbacks/address-filter.js';
import type { Signer } from '../callbacks/create-signer.js';
import type { Limits } from '../defaults.js';
import type { FaultPlan } from '../fault-injection/fault-plan.js';
import type { PublicAddress } from '../http/public-address.js';
import type { RunJob } from '../kernel/kernel-runner.js';
import type { SandboxMode } from '../kernel/sandbox/open-sandbox.js';
import type { Logger } from '../logger.js';
import type { ConcurrencyPlan } from '../machine/capacity.js';

/** The options of every process of a service. */
export interface CommonOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  logger: Logger;
  /** The token that `GET /metrics` requires. Default: it needs none, and replies to programs on this machine only. */
  metricsToken?: string | undefined;
  /**
   * Space for stored files. Default of a data folder: 20 % of (free disk space + stored files), at most 20 GiB; of a bucket:
   * no limit.
   */
  quotaBytes?: number | undefined;
  /** Space for the stored files of each user who has no quota of their own. Default: no limit. */
  userQuotaBytes?: number | undefined;
  /** Overrides of `LIMITS`. */
  limits?: Partial<Limits>;
  /** Faults to inject. Default: none. */
  faults?: FaultPlan | undefined;
}

/** The options of a process that serves the API. */
export interface ApiOptions extends CommonOptions, PublicAddress {
  /** The port of `GET /metrics`, on the same host; 0: any free port. Default: that of the API. */
  metricsPort?: number | undefined;
  /** Whether to serve the page for people, with sessions. Default: false. */
  hasWebPage?: boolean | undefined;
  /** The cost of the hash of a new password. Default: `PASSWORD_COST`. */
  passwordCost?: PasswordCost | undefined;
}

/** The options of a process that runs operations. */
export interface WorkerOptions extends CommonOptions {
  /** Returns whether callbacks may be sent to an address. */
  isCallbackAllowed: AddressFilter;
  /** Default: callbacks are not signed. */
  signCallback?: Signer | undefined;
  /** Default: derived from the cores and the memory of the machine or container. */
  plan?: Partial<ConcurrencyPlan>;
  /** The program that runs one job. Default: the bundled one. */
  kernelProgram?: string;
  /** Whether kernel processes run in a sandbox. Default: `off`. */
  sandbox?: SandboxMode;
  /** Runs one job. Default: a kernel process does. */
  runJob?: RunJob | undefined;
  /** Idle kernel processes kept ready for the next jobs. Default: one with 2 GiB of memory, two with 4 GiB or more. */
  warmKernels?: number;
  /** Whether to reuse the results of identical operations. Default: true. Always off with fault injection. */
  usesResultCache?: boolean;
}
