import 'should';
import { escapeControls, escapeControlsInLines } from '../../src/service/escape-controls.js';

describe('escapeControls', () => {
  for (const [name, shown] of [
    ['\u001b[31mred\u001b[0m.stl', '\\u001b[31mred\\u001b[0m.stl'],
    ['title\u001b]0;x\u0007', 'title\\u001b]0;x\\u0007'],
    ['\u009b2J', '\\u009b2J'],
    ['a\r\nb\tc\u0000\b\u007f', 'a\\u000d\\u000ab\\u0009c\\u0000\\u0008\\u007f'],
    ['cube\u202elts.exe', 'cube\\u202elts.exe'],
    ['a\u2028b\u2066c', 'a\\u2028b\\u2066c'],
    ['Größe Ω モデル 🧊.stl', 'Größe Ω モデル 🧊.stl'],
  ] as const) {
    it(`shows ${JSON.stringify(name)} as ${shown}`, () => {
      escapeControls(name).should.equal(shown);
    });
  }
});

describe('escapeControlsInLines', () => {
  it('keeps line feeds and tabs', () => {
    escapeControlsInLines('a\tb\n\u001bc\r\n').should.equal('a\tb\n\\u001bc\\u000d\n');
  });

  it('keeps the meaning of JSON', () => {
    const value = { name: '\u001b\u007f\u009b\u202e\n"\\' };
    JSON.parse(escapeControlsInLines(JSON.stringify(value))).should.deepEqual(value);
  });
});
