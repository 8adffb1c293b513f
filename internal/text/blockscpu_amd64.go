package text

// This file tells whether the processor can run the kernels that lower-case and
// collapse 64 bytes at once.

import "golang.org/x/sys/cpu"

// hasBlocks says whether the processor has what lower512 and collapse512 take.
var hasBlocks = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT
