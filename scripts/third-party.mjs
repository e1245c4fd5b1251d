// Writes the licenses of bundled packages (`dist/THIRD_PARTY_NOTICES.txt`) and a software bill of materials
// (`dist/sbom.cdx.json`, CycloneDX). Both derive from the metafiles of the bundler, so they cannot omit a package.
// Packages that npm installs separately contain their own licenses.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const LICENSE_FILE = /^(licen[cs]e|copying|notice)(\.(md|txt))?$/i;

/**
 * Returns the package folder of a bundled file, e.g. `node_modules/a/node_modules/@b/c` for
 * `node_modules/a/node_modules/@b/c/lib/d.js`, or `undefined` for a file of this package.
 */
function findPackageFolder(file) {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file.replaceAll('\\', '/'))?.[1];
}

function readPackage(folder) {
  const { name, version, license, author, homepage } = JSON.parse(
    readFileSync(path.join(folder, 'package.json'), 'utf8'),
  );
  if (typeof license !== 'string')
    throw new Error(`The package ${name} declares no license. Check it before bundling it.`);
  const texts = readdirSync(folder)
    .filter((file) => LICENSE_FILE.test(file))
    .sort()
    .map((file) => readFileSync(path.join(folder, file), 'utf8').trim());
  const by = typeof author === 'string' ? author : author?.name;
  return { name, version, license, by, homepage, texts };
}

/** Returns the packages in any of these bundles (esbuild metafiles), each once, sorted by name. */
function findBundledPackages(root, metafiles) {
  const inputFiles = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs)),
  );
  const folders = new Set(inputFiles.map(findPackageFolder).filter((folder) => folder !== undefined));
  const packages = [...folders].map((folder) => readPackage(path.join(root, folder)));
  const versions = new Map(packages.map((one) => [`${one.name}@${one.version}`, one]));
  return [...versions.keys()].sort().map((key) => versions.get(key));
}

/** Returns the text of a license, for packages that declare one without a copy of it. */
function readBundledLicense(name, license) {
  const file = new URL(`./licenses/${license}.txt`, import.meta.url);
  if (!existsSync(file)) throw new Error(`The package ${name} has no text of ${license}. Add one to scripts/licenses.`);
  return readFileSync(file, 'utf8').trim();
}

function formatNotice({ name, version, license, by, homepage, texts }) {
  const head = [`${name} ${version}`, `License: ${license}`, by && `By: ${by}`, homepage].filter(Boolean).join('\n');
  return `${head}\n\n${texts.join('\n\n') || readBundledLicense(name, license)}\n`;
}

/** Returns the notice of the package in a folder: its name, author and license. */
export function readNotice(folder) {
  return formatNotice(readPackage(folder));
}

function toPurl({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function toSbomComponent(one) {
  return {
    type: 'library',
    'bom-ref': toPurl(one),
    name: one.name,
    version: one.version,
    licenses: [/[ ()]/.test(one.license) ? { expression: one.license } : { license: { id: one.license } }],
    purl: toPurl(one),
  };
}

/** Writes both files to `dist`. Equal packages produce equal bytes. */
export function writeThirdPartyNotices(root, metafiles) {
  const packages = findBundledPackages(root, metafiles);
  const ownPackage = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const line = `\n${'-'.repeat(100)}\n\n`;
  const intro = `The files of ${ownPackage.name} contain parts of these packages.\n`;
  writeFileSync(path.join(root, 'dist/THIRD_PARTY_NOTICES.txt'), [intro, ...packages.map(formatNotice)].join(line));
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...toSbomComponent(ownPackage), type: 'application' } },
    components: packages.map(toSbomComponent),
    dependencies: [
      { ref: toPurl(ownPackage), dependsOn: packages.map(toPurl) },
      ...packages.map((one) => ({ ref: toPurl(one) })),
    ],
  };
  writeFileSync(path.join(root, 'dist/sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
}
