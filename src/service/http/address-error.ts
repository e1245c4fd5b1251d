import { codeOf } from '../machine/system-errors.js';
import { StartError } from '../start-error.js';
import { formatAuthority } from './format-base-url.js';

/**
 * Returns the error of an address that a service cannot listen on, in words, with the remedy: `ADDRESS_UNAVAILABLE`.
 * `portOption`: the option of the port. Returns any other error unchanged.
 */
export function explainAddressError(error: unknown, host: string, port: number, portOption: string): unknown {
  const reason = describeReason(codeOf(error), host, port, portOption);
  if (reason === undefined) return error;
  const message = `Could not listen on ${formatAuthority(host, port)}: ${reason}`;
  return new StartError('ADDRESS_UNAVAILABLE', message, { cause: error });
}

function describeReason(code: string | undefined, host: string, port: number, option: string): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `another program is using port ${port}. Stop it, or choose another port with ${option} (0: any free one).`;
    case 'EACCES':
    case 'EPERM':
      return `this user may not listen on port ${port}. Choose a port from 1024 on with ${option}.`;
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'EINVAL':
      return `this machine does not have the address ${host}. Choose one that it has with --host, such as 127.0.0.1, or 0.0.0.0 for all.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_NONAME':
      return `the name ${host} has no address. Correct it, or choose an address with --host, such as 127.0.0.1.`;
    default:
      return undefined;
  }
}
