import 'should';
import { XmlReader } from '../../../../src/mesh/formats/text/xml-reader.js';
import { decodeXml, encodeXml } from '../../../../src/mesh/formats/text/xml-text.js';
import { meshErrorOf } from '../mesh-error-of.js';

/** All events in one line: `<name`, `>name`, `"text"`; then how many elements are left open. */
function walk(content: string | Uint8Array): string {
  const reader = new XmlReader(Buffer.from(content));
  const events: string[] = [];
  for (let event = reader.next(); event !== 'end'; event = reader.next()) {
    events.push(event === 'text' ? JSON.stringify(reader.text()) : `${event === 'open' ? '<' : '>'}${reader.name}`);
  }
  return [...events, reader.depth].join(' ');
}

describe('the reader of XML', () => {
  it('walks through elements and text, names without their prefix', () => {
    walk('<?xml version="1.0"?>\n<a:b><c/> x &lt; &#65;&#x42; <!-- no <d> --></a:b>').should.equal(
      '<b <c >c " x < AB " >b 0',
    );
  });

  it('gives raw text as it is', () => {
    walk('<a><![CDATA[x < &amp;]]></a>').should.equal('<a "x < &amp;" >a 0');
  });

  it('gives attributes by name, as text and as numbers', () => {
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

  it('tells names apart that share a hash', () => {
    // 31 * 'A' + 'a' is 31 * 'B' + 'B'
    walk('<Aa><BB/></Aa>').should.equal('<Aa <BB >BB >Aa 0');
  });

  it('skips a document type, fetching nothing, and refuses one that defines entities', () => {
    walk('<!DOCTYPE X3D PUBLIC "x" "http://example.com/x.dtd"><a/>').should.equal('<a >a 0');
    const error = meshErrorOf(() => walk('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'));
    error.code.should.equal('FILE_MALFORMED');
  });

  it('leaves references that it does not know as they are', () => {
    walk('<a>&b; &#9999999; &amp</a>').should.equal('<a "&b; &#9999999; &amp" >a 0');
  });

  it('ends where the document breaks off, with elements left open', () => {
    for (const text of ['<a><b x="1', '<a><b ', '<a><b x', '<a><b x=', '<a><!-- ', '<a></a', '<a>', '<a', '']) {
      walk(text).should.match(/ ?[012]$/);
    }
    walk('<a><b>').should.equal('<a <b 2');
  });

  it('refuses what is no XML, and names the byte', () => {
    const deep = '<a>'.repeat(201);
    const wide = `<a ${'x="" '.repeat(257)}/>`;
    for (const text of ['<a></b>', '</a>', '<a b>', '<a b=c>', '<>', '< a>', '<!x>', deep, wide]) {
      const error = meshErrorOf(() => walk(text));
      error.code.should.equal('FILE_MALFORMED');
      error.message.should.match(/at byte \d+/);
    }
  });
});

describe('text of XML', () => {
  it('comes back as it was, without what XML cannot hold', () => {
    decodeXml(encodeXml('a<b>&"\'ä😀')).should.equal('a<b>&"\'ä😀');
    encodeXml('a\u0000b\nc').should.equal('ab c');
  });
});
