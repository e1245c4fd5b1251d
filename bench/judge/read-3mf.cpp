// Reads a 3MF with lib3mf and discards it: the native baseline of the benchmark.
#include "Model/COM/NMR_DLLInterfaces.h"

int main(int argc, char** argv) {
  NMR::PLib3MFModel* model = nullptr;
  NMR::PLib3MFModelReader* reader = nullptr;
  if (argc < 2 || NMR::lib3mf_createmodel(&model) != 0) return 1;
  if (NMR::lib3mf_model_queryreader(model, "3mf", &reader) != 0) return 1;
  return NMR::lib3mf_reader_readfromfileutf8(reader, argv[1]) == 0 ? 0 : 2;
}
