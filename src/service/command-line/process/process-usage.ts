import { EXPORT_FORMATS } from '../../../mesh/formats/registry.js';

const outputFormats = EXPORT_FORMATS.map(({ id }) => id);

/** The `--help` text of `process`. */
export const PROCESS_USAGE = `model-processing process IN... [OPTION...]
Repairs, checks and converts files without Node-RED or a service. Without --repair, --to, --output,
--thumbnail or --html, only analyzes and prints the verdict.

IN is a file, a folder (all files in it with a known extension), or - for stdin. A model in several
files is a ZIP, or a .gltf whose buffers are in its folder. A ZIP of several models is processed
model by model.
  -r, --recursive     also process the folders below a folder
  --format FORMAT     format of stdin, such as stl
  --units UNIT        unit of files that do not declare one: mm, cm, m, um, inch, ft (mm,
                      and an implausible size is not printable)
  --accuracy MM       max distance of triangles from curved surfaces (1/1000 of the model size)
  --max-angle DEGREES max angle between adjacent triangles on curved surfaces (20)
  --helpers HANDLING  helper bodies of slicers: apply (negative volumes are subtracted, others left
                      out), keep (beside the model, for 3MF) or ignore (all are left out) (apply)
  --plate NUMBER      plate of a slicer's project (3MF) to read, or all (all)
  --entry NAME        the model to process in a ZIP of several: its path or name (all)

What to do:
  --repair            repair the model
  --inner-shells RULE how to treat closed shells inside others: auto, void or merge
                      (auto: keep the file's orientation if it is consistent, else alternate)
  --parts RULE        keep the parts of a model that touch or overlap separate, or unite them: keep
                      or unite (keep; the objects of an STL are one part)
  --check             exit with 0 if the model is printable, else with 1: if its level is solid,
                      and nothing says that it is not what the file meant, such as an
                      incomplete file; with --repair, check the result

What to write:
  --to FORMAT         output format: ${outputFormats.join(', ')}
                      (same as the input)
  -o, --output PATH   output file or folder (current folder), or - for stdout. A path without an
                      extension is a folder. Missing folders are created, and folders below an
                      input folder are mirrored. Existing files are kept, and the new one is
                      named name-2.stl. Of a ZIP of several models, each has a name of its own,
                      such as kit-lid.stl
  --skip-existing     skip files whose output exists, to resume
  --thumbnail PATH    render the result to a PNG file, or into a folder
  --html PATH         write an HTML report with a 3D view of the model and its defects, before and
                      after a repair, or reports into a folder. It needs no other file and no network
  --language LANGUAGE language of HTML reports: en or de (en)
  --table FILE        write a CSV file with one row per file
  --report            print counts, dimensions, volume and area; with --repair, before and after
  --json              print one JSON object per file
  --memory SIZE       memory limit per file (4G, at most 60 % of what is available)

Exit status: 0 successful, with --check: printable; 1 a file failed, or is not printable;
2 invalid usage; 130 interrupted. A failed file does not stop the others.`;
