import 'should';
import should from 'should';
import { createProxyResolver, readProxyNode } from '../../../../nodes/shared/service/proxy.js';
import type { ClientProxy } from '../../../../src/client/index.js';

function through(proxy: ClientProxy, url: string) {
  return typeof proxy === 'function' ? proxy(url) : proxy;
}

describe('the proxy of a service', () => {
  it('takes the proxy of the environment by the scheme of the address', () => {
    const proxy = createProxyResolver(undefined, {
      HTTPS_PROXY: 'http://secure:3128',
      http_proxy: 'http://plain:3128',
    });
    should(through(proxy, 'https://models.example.com/')).equal('http://secure:3128');
    should(through(proxy, 'http://models.example.com/')).equal('http://plain:3128');
  });

  it('takes a proxy that is named without a scheme for an http one, as curl does', () => {
    const proxy = createProxyResolver(undefined, { https_proxy: 'proxy.example.com:3128' });
    should(through(proxy, 'https://models.example.com/')).equal('http://proxy.example.com:3128');
  });

  it('uses none where the environment names none', () => {
    should(through(createProxyResolver(undefined, {}), 'https://models.example.com/')).be.undefined();
  });

  it('keeps to the exceptions of NO_PROXY: hosts, domains, ports, all', () => {
    const without = (exceptions: string) =>
      through(
        createProxyResolver(undefined, { ALL_PROXY: 'http://proxy:1', NO_PROXY: exceptions }),
        'https://a.example.com/x',
      );
    for (const exceptions of ['a.example.com', 'b.org, .example.com', 'example.com', '*.example.com:443', '*'])
      should(without(exceptions)).equal(undefined, exceptions);
    for (const exceptions of ['ample.com', 'a.example.com:8443', ''])
      should(without(exceptions)).equal('http://proxy:1');
  });

  it('uses the proxy node where one is chosen, with its credentials and exceptions', () => {
    const node = { url: 'http://proxy:3128', noproxy: ['intranet'], credentials: { username: 'u', password: 'p@ss' } };
    const proxy = createProxyResolver(readProxyNode(node), { HTTPS_PROXY: 'http://other:1' });
    should(through(proxy, 'https://models.example.com/')).equal('http://u:p%40ss@proxy:3128/');
    should(through(proxy, 'https://models.intranet/')).be.undefined();
  });
});
