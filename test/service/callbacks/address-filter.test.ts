import 'should';
import { parseAddressFilter } from '../../../src/service/callbacks/address-filter.js';

// Address → why it is not public, in all notations that are known.
const NOT_PUBLIC = [
  ['0.0.0.0', 'this host'],
  ['0.1.2.3', 'this network'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'the end of loopback'],
  ['10.0.0.1', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['100.64.0.1', 'behind a carrier'],
  ['169.254.169.254', 'the metadata of a cloud'],
  ['192.0.0.192', 'the metadata of another cloud'],
  ['192.0.2.1', 'documentation'],
  ['198.18.0.1', 'benchmarks'],
  ['198.51.100.1', 'documentation'],
  ['203.0.113.1', 'documentation'],
  ['224.0.0.1', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'this host'],
  ['::1', 'loopback'],
  ['[::1]', 'loopback in brackets'],
  ['0:0:0:0:0:0:0:1', 'loopback in full'],
  ['::ffff:127.0.0.1', 'loopback, mapped'],
  ['::ffff:7f00:1', 'loopback, mapped, in hexadecimal'],
  ['::ffff:10.0.0.1', 'private, mapped'],
  ['::127.0.0.1', 'loopback, compatible'],
  ['64:ff9b::7f00:1', 'loopback behind a translator'],
  ['64:ff9b:1::1', 'a translator of one network'],
  ['2002:7f00:1::', 'loopback in 6to4'],
  ['2001:0:7f00:1::', 'Teredo'],
  ['2001:db8::1', 'documentation'],
  ['3fff::1', 'documentation'],
  ['fe80::1', 'of one link'],
  ['fe80::1%eth0', 'of one link, with its zone'],
  ['fc00::1', 'unique local'],
  ['fd00:ec2::254', 'the metadata of a cloud'],
  ['ff02::1', 'multicast'],
  ['fec0::1', 'of one site'],
  ['100::1', 'discarded'],
  ['localhost', 'a name'],
  ['', 'nothing'],
] as const;

describe('parseAddressFilter', () => {
  const isAllowed = parseAddressFilter('public');

  for (const [address, what] of NOT_PUBLIC) {
    it(`refuses ${address || 'an empty string'} (${what}) with "public"`, () => {
      isAllowed(address).should.be.false();
    });
  }

  for (const address of [
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00:1450:4001::1',
    '::ffff:8.8.8.8',
  ]) {
    it(`allows ${address} with "public"`, () => {
      isAllowed(address).should.be.true();
    });
  }

  it('allows only this machine with "loopback"', () => {
    const loopback = parseAddressFilter('loopback');
    ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'].map(loopback).should.deepEqual([true, true, true, true]);
    ['10.0.0.1', '8.8.8.8', '::2', 'fe80::1'].map(loopback).should.deepEqual([false, false, false, false]);
  });

  it('combines several keywords, ranges and single addresses', () => {
    const rule = parseAddressFilter('loopback, 192.168.1.0/24,fd00:1::/64, 10.0.0.7');
    ['127.0.0.1', '192.168.1.77', 'fd00:1::9', '10.0.0.7'].map(rule).should.deepEqual([true, true, true, true]);
    ['192.168.2.1', 'fd00:2::9', '10.0.0.8', '8.8.8.8'].map(rule).should.deepEqual([false, false, false, false]);
  });

  it('allows no address for an empty list', () => {
    parseAddressFilter('')('127.0.0.1').should.be.false();
  });

  for (const word of ['private', '10.0.0.0/33', '10.0.0/8', 'example.org', '10.0.0.0/x']) {
    it(`throws USAGE for "${word}"`, () => {
      (() => parseAddressFilter(word)).should.throw({ code: 'USAGE' });
    });
  }
});
