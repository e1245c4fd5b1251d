// What others wrote and we ship within our own files: their licences (`dist/THIRD_PARTY_NOTICES.txt`), and a bill of materials in CycloneDX's form
// (`dist/sbom.cdx.json`). Both are made of what the bundler read, so that they cannot forget a package. Packages that npm installs beside ours
// bring their own licences.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const LICENSE_FILE = /^(licen[cs]e|copying|notice)(\.(md|txt))?$/i;

/** `node_modules/a/node_modules/@b/c/lib/d.js` → `node_modules/a/node_modules/@b/c`; undefined for a file of ours. */
const packageFolderOf = (file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file.replaceAll('\\', '/'))?.[1];

const readPackage = (folder) => {
  const { name, version, license, author, homepage } = JSON.parse(
    readFileSync(path.join(folder, 'package.json'), 'utf8'),
  );
  if (typeof license !== 'string') throw new Error(`${name} names no licence: look at it before it is bundled`);
  const texts = readdirSync(folder)
    .filter((file) => LICENSE_FILE.test(file))
    .sort()
    .map((file) => readFileSync(path.join(folder, file), 'utf8').trim());
  const by = typeof author === 'string' ? author : author?.name;
  return { name, version, license, by, homepage, texts };
};

/** The packages that any of these bundles (esbuild's metafiles) took something from, each once, by name. */
const bundledPackages = (root, metafiles) => {
  const taken = metafiles.flatMap(({ outputs }) => Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs)));
  const folders = new Set(taken.map(packageFolderOf).filter((folder) => folder !== undefined));
  const packages = [...folders].map((folder) => readPackage(path.join(root, folder)));
  const versions = new Map(packages.map((one) => [`${one.name}@${one.version}`, one]));
  return [...versions.keys()].sort().map((key) => versions.get(key));
};

/** The text of a licence, for packages that name one and bring no copy of it. */
const readBundledLicense = (name, license) => {
  const file = new URL(`./licenses/${license}.txt`, import.meta.url);
  if (!existsSync(file)) throw new Error(`${name} brings no text of ${license}: put one into scripts/licenses`);
  return readFileSync(file, 'utf8').trim();
};

const formatNotice = ({ name, version, license, by, homepage, texts }) => {
  const head = [`${name} ${version}`, `Licence: ${license}`, by && `By: ${by}`, homepage].filter(Boolean).join('\n');
  return `${head}\n\n${texts.join('\n\n') || readBundledLicense(name, license)}\n`;
};

const purlOf = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

const toSbomComponent = (one) => ({
  type: 'library',
  'bom-ref': purlOf(one),
  name: one.name,
  version: one.version,
  licenses: [/[ ()]/.test(one.license) ? { expression: one.license } : { license: { id: one.license } }],
  purl: purlOf(one),
});

/** Writes both files into `dist`. The same packages give the same bytes. */
export const writeThirdPartyNotices = (root, metafiles) => {
  const packages = bundledPackages(root, metafiles);
  const own = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const line = `\n${'-'.repeat(100)}\n\n`;
  const intro = `Parts of these packages are within the files of ${own.name}.\n`;
  writeFileSync(path.join(root, 'dist/THIRD_PARTY_NOTICES.txt'), [intro, ...packages.map(formatNotice)].join(line));
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...toSbomComponent(own), type: 'application' } },
    components: packages.map(toSbomComponent),
    dependencies: [
      { ref: purlOf(own), dependsOn: packages.map(purlOf) },
      ...packages.map((one) => ({ ref: purlOf(one) })),
    ],
  };
  writeFileSync(path.join(root, 'dist/sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
};
