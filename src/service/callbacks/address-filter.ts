import net from 'node:net';
import { StartError } from '../start-error.js';

/** Returns whether a rule accepts an IP address. */
export type AddressFilter = (address: string) => boolean;

// IPv4 ranges that are not public: the IANA IPv4 Special-Purpose Address Registry (RFC 6890), multicast and reserved
// addresses.
const SPECIAL_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];

// Only 2000::/3 of IPv6 is public, except protocol assignments with Teredo, documentation and 6to4.
const PUBLIC_V6 = ['2000::/3'];
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

function createBlockList(ranges: readonly string[]): net.BlockList {
  const list = new net.BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    const family = net.isIPv6(address) ? 'ipv6' : 'ipv4';
    list.addSubnet(address, prefix === undefined ? (family === 'ipv6' ? 128 : 32) : Number(prefix), family);
  }
  return list;
}

/**
 * Returns the IPv4 address of an IPv4-mapped IPv6 address (`::ffff:…`; RFC 4291), and any other address in canonical
 * form.
 */
export function canonicalAddress(address: string): string {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (!net.isIPv6(bare)) return bare;
  const canonical = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (!mapped) return canonical;
  const [high, low] = [Number.parseInt(mapped[1] ?? '', 16), Number.parseInt(mapped[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function allowPublic(): AddressFilter {
  const special = createBlockList([...SPECIAL_V4, ...SPECIAL_V6]);
  const publicV6 = createBlockList(PUBLIC_V6);
  return (address) =>
    net.isIPv6(address)
      ? publicV6.check(address, 'ipv6') && !special.check(address, 'ipv6')
      : !special.check(address, 'ipv4');
}

function allowRanges(ranges: readonly string[]): AddressFilter {
  const list = createBlockList(ranges);
  return (address) => list.check(address, net.isIPv6(address) ? 'ipv6' : 'ipv4');
}

function parseRange(word: string, option: string): AddressFilter {
  if (word === 'public') return allowPublic();
  if (word === 'loopback') return allowRanges(['127.0.0.0/8', '::1/128']);
  try {
    if (net.isIP(word.split('/')[0] ?? '')) return allowRanges([word]);
  } catch {
    // an invalid prefix length: reported below
  }
  throw new StartError(
    'USAGE',
    `Invalid --${option} "${word}": expected public, loopback or an address range such as 192.168.1.0/24.`,
  );
}

/**
 * Parses the value of an option such as `--callbacks`: `public`, `loopback` and address ranges, separated by commas. The
 * filter accepts an address if one of them does. Throws `USAGE`, with the name of the option.
 */
export function parseAddressFilter(text: string, option = 'callbacks'): AddressFilter {
  const filters = text
    .split(',')
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '')
    .map((word) => parseRange(word, option));
  return (address) => {
    const canonical = canonicalAddress(address);
    return net.isIP(canonical) !== 0 && filters.some((isAllowed) => isAllowed(canonical));
  };
}

/** Returns whether an address is one of this machine only: 127.0.0.0/8 or ::1. */
export const isLoopback = parseAddressFilter('loopback');
