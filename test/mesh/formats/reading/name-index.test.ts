import should from 'should';
import { NameIndex } from '../../../../src/mesh/formats/reading/name-index.js';

function createIndex(...names: string[]) {
  return new NameIndex(names.map((name) => [name, name] as const));
}

describe('NameIndex', () => {
  it('finds a name exactly before any other spelling', () => {
    const index = createIndex('a.bin', 'A.bin', 'a%20b', 'a b');
    should(index.find('A.bin')).equal('A.bin');
    should(index.find('a%20b')).equal('a%20b');
    should(index.find('a b')).equal('a b');
  });

  it('finds a name without regard to case, normalization, leading slashes and ./', () => {
    const index = createIndex('Größe/A.bin', './sub//./b.bin');
    for (const name of ['/GRÖßE/a.bin', 'gro\u0308ße/a.bin', './Größe/./A.bin'])
      should(index.find(name)).equal('Größe/A.bin');
    should(index.find('sub/b.bin')).equal('./sub//./b.bin');
    should(index.find('b.bin')).be.undefined();
  });

  it('finds a name whose characters are percent-encoded in it, in the request or in both', () => {
    const index = createIndex('My%20mod%c3%a8le', 'plain 5%');
    for (const name of ['My modèle', 'my%20MOD%C3%A8le', 'My modèle'.normalize('NFD')])
      should(index.find(name)).equal('My%20mod%c3%a8le');
    for (const name of ['plain%205%25', 'plain%205%']) should(index.find(name)).equal('plain 5%');
  });

  it('finds the first of equal spellings', () => {
    should(createIndex('A', 'a').find('%41')).equal('A');
  });

  it('finds very long names exactly only', () => {
    const name = `a${'\u0301'.repeat(50_000)}`;
    should(createIndex(name).find(name)).equal(name);
    should(createIndex(name).find(name.toUpperCase())).be.undefined();
  });
});
