import 'should';
import { XmlReader } from '../../../../src/mesh/formats/text/xml-reader.js';
import { decodeXml, encodeXml } from '../../../../src/mesh/formats/text/xml-text.js';
import { meshErrorOf } from '../mesh-error-of.js';

/** Returns all events in one line, `<name`, `>name`, `"text"`, followed by the number of open elements. */
function walk(content: string | Uint8Array): string {
  const reader = new XmlReader(Buffer.from(content));
  const events: string[] = [];
  for (let event = reader.next(); event !== 'end'; event = reader.next()) {
    events.push(event === 'text' ? JSON.stringify(reader.text()) : `${event === 'open' ? '<' : '>'}${reader.name}`);
  }
  return [...events, reader.depth].join(' ');
}

describe('XmlReader', () => {
  it('returns elements and text, with names without prefix', () => {
    walk('<?xml version="1.0"?>\n<a:b><c/> x &lt; &#65;&#x42; <!-- no <d> --></a:b>').should.equal(
      '<b <c >c " x < AB " >b 0',
    );
  });

  it('returns CDATA unchanged', () => {
    walk('<a><![CDATA[x < &amp;]]></a>').should.equal('<a "x < &amp;" >a 0');
  });

  it('returns attributes as text and as numbers', () => {
    const reader = new XmlReader(Buffer.from(`<v x="1.5" p:y = ' -2e3 ' name="a &quot;>b&apos;" z="1x"/>`));
    reader.next().should.equal('open');
    reader.numberAttribute('x').should.equal(1.5);
    reader.numberAttribute('y').should.equal(-2000);
    reader.numberAttribute('z').should.be.NaN();
    reader.numberAttribute('w').should.be.NaN();
    (reader.attribute('name') ?? '').should.equal(`a ">b'`);
    (reader.attribute('w') === undefined).should.be.true();
  });

  it('reads UTF-16 and a byte order mark', () => {
    for (const bytes of [Buffer.from('\ufeff<ä/>'), Buffer.from('\ufeff<ä/>', 'utf16le')])
      walk(bytes).should.equal('<ä >ä 0');
  });

  it('distinguishes names with equal hashes', () => {
    // 31 * 'A' + 'a' is 31 * 'B' + 'B'
    walk('<Aa><BB/></Aa>').should.equal('<Aa <BB >BB >Aa 0');
  });

  it('skips a document type without fetching it, and rejects one that declares entities', () => {
    walk('<!DOCTYPE X3D PUBLIC "x" "http://example.com/x.dtd"><a/>').should.equal('<a >a 0');
    const error = meshErrorOf(() => walk('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'));
    error.code.should.equal('FILE_MALFORMED');
  });

  it('leaves unknown references unchanged', () => {
    walk('<a>&b; &#9999999; &amp</a>').should.equal('<a "&b; &#9999999; &amp" >a 0');
  });

  it('ends a truncated document with elements still open', () => {
    for (const text of ['<a><b x="1', '<a><b ', '<a><b x', '<a><b x=', '<a><!-- ', '<a></a', '<a>', '<a', '']) {
      walk(text).should.match(/ ?[012]$/);
    }
    walk('<a><b>').should.equal('<a <b 2');
  });

  it('throws FILE_MALFORMED with the byte offset for invalid XML', () => {
    const deep = '<a>'.repeat(201);
    const wide = `<a ${'x="" '.repeat(257)}/>`;
    for (const text of ['<a></b>', '</a>', '<a b>', '<a b=c>', '<>', '< a>', '<!x>', deep, wide]) {
      const error = meshErrorOf(() => walk(text));
      error.code.should.equal('FILE_MALFORMED');
      error.message.should.match(/at byte \d+/);
    }
  });
});

describe('encodeXml and decodeXml', () => {
  it('round-trips text except for characters that XML cannot represent', () => {
    decodeXml(encodeXml('a<b>&"\'ä😀')).should.equal('a<b>&"\'ä😀');
    encodeXml('a\u0000b\nc').should.equal('ab c');
  });
});
