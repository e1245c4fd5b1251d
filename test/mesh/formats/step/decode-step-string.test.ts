import 'should';
import { decodeStepString } from '../../../../src/mesh/formats/step/decode-step-string.js';

describe('decodeStepString', () => {
  const STRINGS: Record<string, string> = {
    'Deckel 1': 'Deckel 1',
    'B\\X2\\00FC0063\\X0\\hse': 'Büchse',
    '\\X4\\0001F9E9\\X0\\ part': '🧩 part',
    '\\X4\\FFFFFFFF\\X0\\': '\ufffd',
    'M\\X\\FCller': 'Müller',
    'M\\S\\|ller': 'Müller',
    'a\\\\b \\X2\\00F\\X0\\': 'a\\b \\X2\\00F\\X0\\',
  };
  for (const [encoded, text] of Object.entries(STRINGS)) {
    it(`decodes ${encoded}`, () => {
      decodeStepString(encoded).should.equal(text);
    });
  }
});
