import net from 'node:net';
import { canonicalAddress } from '../callbacks/address-filter.js';

/** Removes the port that some proxies append in `X-Forwarded-For`, and bounds text that is no address. */
function withoutPort(text: string): string {
  const [, address] = /^(\d+(?:\.\d+){3}|\[.*\]):\d+$/.exec(text) ?? [];
  return (address ?? text).slice(0, 64);
}

/**
 * Returns what distinguishes the callers at an address: the address itself or, for IPv6, its first 64 bits, since one
 * caller can use all addresses of such a network (RFC 6177). Other text is returned as it is. A closed connection has no
 * address: then returns an empty text.
 */
export function networkOf(address: string | undefined): string {
  const canonical = canonicalAddress(withoutPort(address ?? ''));
  if (!net.isIPv6(canonical)) return canonical;
  // The canonical form has `::` for the longest row of zeros.
  const [head = [], tail = []] = canonical.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`;
}
