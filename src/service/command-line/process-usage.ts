import { FORMATS } from '../../mesh/formats/format-table.js';

const written = FORMATS.filter(({ canExport }) => canExport).map(({ id }) => id);

/** What `--help` says of `process`. */
export const PROCESS_USAGE = `model-processing process IN...   work on files, without Node-RED and without a service
  --units UNIT        unit of the files that name none: mm, cm, m, um, inch, ft (mm)
  --accuracy MM       of files with curved surfaces: how far triangles may be from them
                      (a thousandth of the size)
  --max-angle DEGREES of the same: the largest angle between neighbouring triangles (20)
  --repair            repair
  --inner-shells RULE what becomes of closed shells inside others: auto, void, merge (auto: as
                      wound where the file's winding can be trusted, else voids by turns)
  --to FORMAT         write this format: ${written.join(', ')}
                      (that of the file)
  -o, --output PATH   the file to write, or the folder to write to (this folder). Folders are
                      made; no file is written over: the new one becomes name-2.stl
  --thumbnail PATH    draw a picture of what came out: a PNG file, or the folder for it
  --check             judge: exit status 0 if printable (level solid), 1 if not. With --repair:
                      judge what came out, which is written too
  --report            print what was found and done
  --json              print one JSON object a file
  --memory SIZE       memory that one file may take (4G, at most 60 % of what there is)
  Without --repair, --to and --output no model is written: it says what it found.`;
