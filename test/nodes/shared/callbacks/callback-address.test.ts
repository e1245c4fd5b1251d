import 'should';
import should from 'should';
import { parseCallbackAddress } from '../../../../nodes/shared/callbacks/callback-address.js';

describe('parseCallbackAddress', () => {
  it('returns the URL of the callback route below httpNodeRoot', () => {
    const addressOf = (callbackUrl: string, root?: unknown) => parseCallbackAddress(callbackUrl, root)?.address;
    should(addressOf('https://nodes.example.com')).equal('https://nodes.example.com/model-processing/callback/');
    should(addressOf(' http://127.0.0.1:1880/ ', '/')).equal('http://127.0.0.1:1880/model-processing/callback/');
    should(addressOf('https://nodes.example.com', '/api/')).equal(
      'https://nodes.example.com/api/model-processing/callback/',
    );
  });

  it('returns undefined if the setting is empty', () => {
    should(parseCallbackAddress(' ', '/')).be.undefined();
  });

  it('returns a problem that names the field if the setting is not an origin', () => {
    const invalid = [
      'nodes.example.com',
      'ftp://a',
      'https://a/path',
      'https://a?q',
      'https://a#h',
      'https://me:word@a',
    ];
    for (const callbackUrl of invalid)
      should(parseCallbackAddress(callbackUrl, '/')?.problem).match(/^Invalid Callback URL: expected /);
    should(parseCallbackAddress('https://me:word@a', '/')?.problem).not.match(/word/);
  });

  it('returns a problem if Node-RED serves no HTTP for nodes', () => {
    should(parseCallbackAddress('https://nodes.example.com', false)?.problem).match(/httpNodeRoot is false/);
  });
});
