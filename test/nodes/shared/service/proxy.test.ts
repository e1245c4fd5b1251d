import 'should';
import should from 'should';
import { createProxyResolver, readProxyNode } from '../../../../nodes/shared/service/proxy.js';
import type { ClientProxy } from '../../../../src/client/index.js';

function resolveProxy(proxy: ClientProxy, url: string) {
  return typeof proxy === 'function' ? proxy(url) : proxy;
}

describe('createProxyResolver', () => {
  it('selects HTTPS_PROXY or http_proxy by the scheme of the address', () => {
    const proxy = createProxyResolver(undefined, {
      HTTPS_PROXY: 'http://secure:3128',
      http_proxy: 'http://plain:3128',
    });
    should(resolveProxy(proxy, 'https://models.example.com/')).equal('http://secure:3128');
    should(resolveProxy(proxy, 'http://models.example.com/')).equal('http://plain:3128');
  });

  it('assumes http for a proxy without a scheme, as curl does', () => {
    const proxy = createProxyResolver(undefined, { https_proxy: 'proxy.example.com:3128' });
    should(resolveProxy(proxy, 'https://models.example.com/')).equal('http://proxy.example.com:3128');
  });

  it('returns undefined if the environment has no proxy', () => {
    should(resolveProxy(createProxyResolver(undefined, {}), 'https://models.example.com/')).be.undefined();
  });

  it('matches hosts, domains, ports and * in NO_PROXY', () => {
    const resolveWith = (exceptions: string) =>
      resolveProxy(
        createProxyResolver(undefined, { ALL_PROXY: 'http://proxy:1', NO_PROXY: exceptions }),
        'https://a.example.com/x',
      );
    for (const exceptions of ['a.example.com', 'b.org, .example.com', 'example.com', '*.example.com:443', '*'])
      should(resolveWith(exceptions)).equal(undefined, exceptions);
    for (const exceptions of ['ample.com', 'a.example.com:8443', ''])
      should(resolveWith(exceptions)).equal('http://proxy:1');
  });

  it('prefers the proxy node to the environment, with its credentials and exceptions', () => {
    const node = { url: 'http://proxy:3128', noproxy: ['intranet'], credentials: { username: 'u', password: 'p@ss' } };
    const proxy = createProxyResolver(readProxyNode(node), { HTTPS_PROXY: 'http://other:1' });
    should(resolveProxy(proxy, 'https://models.example.com/')).equal('http://u:p%40ss@proxy:3128/');
    should(resolveProxy(proxy, 'https://models.intranet/')).be.undefined();
  });
});
