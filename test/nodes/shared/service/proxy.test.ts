import { createRequire } from 'node:module';
import path from 'node:path';
import should from 'should';
import { createProxyResolver, readProxyNode } from '../../../../nodes/shared/service/proxy.js';
import type { ClientProxy } from '../../../../src/client/index.js';

// NODE_RED_DIR: a folder with another installation of Node-RED, to test with that version.
const require = createRequire(path.resolve(process.env.NODE_RED_DIR ?? '.', 'package.json'));
const core: { getProxyForUrl: (url: string, options: object) => string } = createRequire(require.resolve('node-red'))(
  '@node-red/nodes/core/network/lib/proxyHelper.js',
);

function resolveProxy(proxy: ClientProxy, url: string) {
  return typeof proxy === 'function' ? proxy(url) : proxy;
}

describe('createProxyResolver', () => {
  describe('decides like the core http request node', () => {
    const PROXY = { https_proxy: 'http://proxy:3128' };
    const except = (exceptions: string) => ({ ...PROXY, no_proxy: exceptions });
    const ENVIRONMENTS: Record<string, string>[] = [
      {},
      { HTTPS_PROXY: 'http://secure:3128', http_proxy: 'http://plain:3128' },
      { HTTPS_PROXY: 'http://upper:1', https_proxy: 'http://lower:1' },
      { ALL_PROXY: 'http://all:1' },
      { all_proxy: 'http://all:1', http_proxy: 'http://plain:1' },
      { https_proxy: '' },
      { https_proxy: 'proxy.example.com:3128' },
      { http_proxy: 'proxy.example.com:3128' },
      { npm_config_https_proxy: 'http://npm:1', https_proxy: 'http://own:1' },
      { npm_config_http_proxy: 'http://npm:1' },
      { npm_config_proxy: 'http://npm:1', all_proxy: 'http://all:1' },
      { npm_config_proxy: 'http://npm:1', https_proxy: 'http://own:1' },
      { NPM_CONFIG_PROXY: 'http://npm:1' },
      { ...except('b.example.com'), npm_config_no_proxy: 'a.example.com' },
      { ...except('a.example.com'), npm_config_no_proxy: 'b.example.com' },
      { ...PROXY, NO_PROXY: 'a.example.com' },
      { ...except('b.org'), NO_PROXY: 'a.example.com' },
      ...[
        ...['*', '*,b.org', 'b.org *', 'a.example.com', 'A.Example.COM', 'example.com', '.example.com'],
        ...['*.example.com', '*example.com', '*ample.com', '*corp.example', 'a.*', '.com', 'ample.com'],
        ...['a.example.com:443', 'a.example.com:8443', '*.example.com:443', '*:443', 'a.example.com:0', ' , '],
        ...['b.org,.example.com', 'b.org .example.com', 'b.org,\t.example.com', '[::1]', '127.0.0.1', '*.0.0.1'],
        ...['https://a.example.com', 'a.example.com/', 'intranet', 'localhost'],
      ].map(except),
    ];
    const URLS = [
      'https://a.example.com/web-api',
      'http://a.example.com',
      'https://a.example.com:8443/',
      'https://models.corp.example/',
      'https://corp.example/',
      'https://intranet/',
      'https://[2001:db8::1]:8443/',
      'https://[::1]/',
      'https://127.0.0.1:1880/',
    ];
    const OPTIONS = [
      undefined,
      { lowerCaseOnly: true },
      { favourUpperCase: true },
      { excludeNpm: true },
      { mode: 'legacy' },
      { env: { https_proxy: 'http://settings:1' } },
    ];

    for (const environment of ENVIRONMENTS)
      it(`with ${JSON.stringify(environment)}`, () => {
        for (const options of OPTIONS)
          for (const url of URLS) {
            const expected = core.getProxyForUrl(url, { env: environment, ...options }) || undefined;
            const proxy = resolveProxy(createProxyResolver(undefined, environment, options), url);
            should(proxy).equal(expected, `${url} with ${JSON.stringify(options)}`);
          }
      });
  });

  it('prefers the proxy node to the environment, with its credentials and exceptions', () => {
    const node = { url: 'http://proxy:3128', noproxy: ['intranet'], credentials: { username: 'u', password: 'p@ss' } };
    const proxy = createProxyResolver(readProxyNode(node), { HTTPS_PROXY: 'http://other:1' });
    should(resolveProxy(proxy, 'https://models.example.com/')).equal('http://u:p%40ss@proxy:3128/');
    should(resolveProxy(proxy, 'https://models.intranet/')).be.undefined();
  });
});
