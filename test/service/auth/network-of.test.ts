import 'should';
import { networkOf } from '../../../src/service/auth/network-of.js';

describe('networkOf', () => {
  it('returns an IPv4 address, also one that is mapped to IPv6 or has a port', () => {
    for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '192.0.2.7:50000']) {
      networkOf(address).should.equal('192.0.2.7');
    }
  });

  it('returns the first 64 bits of an IPv6 address', () => {
    networkOf('2001:db8:1:2:3:4:5:6').should.equal('2001:db8:1:2::/64');
    networkOf('2001:db8:1:2::1').should.equal('2001:db8:1:2::/64');
    networkOf('[2001:DB8::1]:443').should.equal('2001:db8:0:0::/64');
    networkOf('::1').should.equal('0:0:0:0::/64');
  });

  it('returns an empty text for a closed connection, which has no address', () => {
    networkOf(undefined).should.equal('');
  });

  it('returns the beginning of text that is no address', () => {
    networkOf('unknown').should.equal('unknown');
    networkOf('x'.repeat(1000)).should.have.length(64);
  });
});
