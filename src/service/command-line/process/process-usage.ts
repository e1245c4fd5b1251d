import { FORMATS } from '../../../mesh/formats/format-table.js';

const outputFormats = FORMATS.filter(({ canExport }) => canExport).map(({ id }) => id);

/** The `--help` text of `process`. */
export const PROCESS_USAGE = `model-processing process IN...   process files without Node-RED or a service
  --units UNIT        unit of files that do not declare one: mm, cm, m, um, inch, ft (mm)
  --accuracy MM       max distance of triangles from curved surfaces (1/1000 of the model size)
  --max-angle DEGREES max angle between adjacent triangles on curved surfaces (20)
  --repair            repair the model
  --inner-shells RULE how to treat closed shells inside others: auto, void or merge
                      (auto: keep the file's orientation if it is consistent, else alternate)
  --to FORMAT         output format: ${outputFormats.join(', ')}
                      (same as the input)
  -o, --output PATH   output file or folder (current folder). Missing folders are created;
                      existing files are kept, and the new one is named name-2.stl
  --thumbnail PATH    render the result to a PNG file, or into a folder
  --check             exit with 0 if the model is printable (level solid), else with 1;
                      with --repair, check the result
  --report            print the report
  --json              print one JSON object per file
  --memory SIZE       memory limit per file (4G, at most 60 % of what is available)
  Without --repair, --to or --output, only analyzes and prints the verdict.`;
