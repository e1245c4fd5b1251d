import 'should';
import {
  formatContentDisposition,
  parseContentDisposition,
  sanitizeFilename,
} from '../../../src/service/http/filename.js';

describe('filename', () => {
  const NAMES = [
    ['bracket.stl', 'bracket.stl'],
    ['C:\\models\\bracket.stl', 'bracket.stl'],
    ['../../etc/passwd', 'passwd'],
    ['a\r\nSet-Cookie: b.stl', 'aSet-Cookie b.stl'],
    ['what?"<now>.stl', 'whatnow.stl'],
    ['  Würfel 立方体.stl ', 'Würfel 立方体.stl'],
  ] as const;
  for (const [name, expected] of NAMES) {
    it(`sanitizes ${JSON.stringify(name)} to "${expected}"`, () => {
      (sanitizeFilename(name) ?? '').should.equal(expected);
    });
  }

  for (const name of ['', '.', '..', 'folder/', '\u0000']) {
    it(`rejects ${JSON.stringify(name)}`, () => {
      (sanitizeFilename(name) === undefined).should.be.true();
    });
  }

  it('truncates a name to 200 characters and keeps its extension', () => {
    const sanitized = sanitizeFilename(`${'立'.repeat(300)}.stl`) ?? '';
    [...sanitized].length.should.equal(200);
    sanitized.should.endWith('立.stl');
  });

  const HEADERS = [
    ['form-data; name="file"; filename="my model.stl"', 'my model.stl'],
    ['form-data; fileName="t.stl"', 't.stl'],
    ['attachment; filename=my model.stl', 'my model.stl'],
    ['form-data; filename="a;b.stl"; name="file"', 'a;b.stl'],
    [String.raw`form-data; filename="say \"hi\".stl"`, 'say "hi".stl'],
    [String.raw`form-data; filename="C:\models\t.stl"`, String.raw`C:\models\t.stl`],
    ['form-data; filename="a%22b%22.stl"', 'a"b".stl'],
    [`form-data; name="file"; filename*=UTF-8''W%C3%BCrfel.stl`, 'Würfel.stl'],
    [`form-data; filename="W.stl"; filename*=utf-8'de'W%C3%BCrfel.stl`, 'Würfel.stl'],
    [`form-data; filename="W.stl"; filename*=utf-8''W%C3`, 'W.stl'],
    ['form-data; name="comment"', ''],
  ] as const;
  for (const [header, filename] of HEADERS) {
    it(`parses ${header}`, () => {
      parseContentDisposition(header).should.equal(filename);
    });
  }

  it('formats the header of a download, in UTF-8 only if ASCII is not sufficient', () => {
    formatContentDisposition('a b.stl').should.equal('attachment; filename="a b.stl"');
    formatContentDisposition("50% 'é'.stl").should.equal(
      `attachment; filename="50_ '_'.stl"; filename*=UTF-8''50%25%20%27%C3%A9%27.stl`,
    );
  });
});
