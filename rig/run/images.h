// SPDX-License-Identifier: GPL-2.0-or-later
// The images of a run: one, or another one for kernels that its programs do not start on.
#pragma once
#include <functional>
#include <map>
#include <string>

#include "rig/image/image.h"
#include "rig/kernel/kernel.h"
#include "rig/plan/plan.h"

namespace rig {

struct RunImages {
  std::map<std::string, ImageArtifact> made;      // by the image's name
  std::map<std::string, std::string> of_kernels;  // the kernel's name → the image's
  const ImageArtifact& of(const std::string& kernel) const { return made.at(of_kernels.at(kernel)); }
};

// Which image each kernel takes, now that all are built: as planned, and by the release where the plan left it
// open.
std::map<std::string, std::string> images_for(const MatrixSpec& matrix,
                                              const std::map<std::string, KernelArtifact>& kernels);

// Makes those that are taken.
RunImages make_images(const MatrixSpec& matrix, const std::map<std::string, KernelArtifact>& kernels,
                      const std::function<ImageArtifact(const ImageSpec&)>& make);

// For the record: "image" and "image-packages" of the baseline's image; of every other one "image/NAME" and
// "image-packages/NAME". Where there are several, "kernel-image/KERNEL" says which one a kernel took, and
// "image-jobs" which jobs run programs of the image and not rig's own alone.
std::map<std::string, std::string> image_facts(const Plan& plan, const RunImages& images);

// Throws InputError where a job needs a program that an image does not hold, with the reason where
// an optional package could not be had.
void check_programs(const Plan& plan, const RunImages& images);

// Throws InputError where a job's program is linked against a C library that does not start on one of the
// kernels ("FATAL: kernel too old"), with an image whose programs do.
void check_age(const Plan& plan, const std::map<std::string, KernelArtifact>& kernels, const RunImages& images);

}  // namespace rig
