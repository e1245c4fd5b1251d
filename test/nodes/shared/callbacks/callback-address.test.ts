import 'should';
import should from 'should';
import { parseCallbackAddress } from '../../../../nodes/shared/callbacks/callback-address.js';

describe('the address for callbacks', () => {
  it('is that of this Node-RED, below httpNodeRoot', () => {
    const of = (callbackUrl: string, root?: unknown) => parseCallbackAddress(callbackUrl, root)?.address;
    should(of('https://nodes.example.com')).equal('https://nodes.example.com/model-processing/callback/');
    should(of(' http://127.0.0.1:1880/ ', '/')).equal('http://127.0.0.1:1880/model-processing/callback/');
    should(of('https://nodes.example.com', '/api/')).equal('https://nodes.example.com/api/model-processing/callback/');
  });

  it('is none where the setting is empty', () => {
    should(parseCallbackAddress(' ', '/')).be.undefined();
  });

  it('is refused with the name of the field where it is no such address', () => {
    const bad = ['nodes.example.com', 'ftp://a', 'https://a/path', 'https://a?q', 'https://a#h', 'https://me:word@a'];
    for (const callbackUrl of bad)
      should(parseCallbackAddress(callbackUrl, '/')?.problem).match(/^"Callbacks at" must be/);
    should(parseCallbackAddress('https://me:word@a', '/')?.problem).not.match(/word/);
  });

  it('is refused where Node-RED serves no HTTP for nodes', () => {
    should(parseCallbackAddress('https://nodes.example.com', false)?.problem).match(/httpNodeRoot is false/);
  });
});
