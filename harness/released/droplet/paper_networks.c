/* SPDX-License-Identifier: Apache-2.0 */
/* paper_networks: the table and its look-up. */
#include "harness/released/droplet/paper_networks.h"

#include "harness/base/text.h"

#include <string.h>
#include <strings.h>

const struct paper_network paper_networks[PAPER_NETWORKS] = {
    {"alexnet", 13},   {"vgg11", 17},       {"resnet18", 19},     {"resnet34", 19},    {"vgg13", 19},
    {"vgg16", 19},     {"vgg19", 19},       {"shufflenet", 20},   {"squeezenet", 23},  {"resnet101", 28},
    {"resnet152", 28}, {"resnet50", 28},    {"mobilenet_v2", 33}, {"mnasnet1_0", 36},  {"inception_v3", 56},
    {"googlenet", 62}, {"densenet121", 73}, {"densenet161", 93},  {"densenet169", 97}, {"densenet201", 113}};

int paper_network_place(const char *name)
{
    for (int i = 0; i < PAPER_NETWORKS; i++)
        if (str_eq(paper_networks[i].name, name))
            return i;
    return -1;
}

int paper_network_find(const char *word, int n)
{
    int found = -1;
    for (int i = 0; i < PAPER_NETWORKS; i++) {
        if (strncasecmp(paper_networks[i].name, word, (size_t)n) != 0)
            continue;
        if ((int)strlen(paper_networks[i].name) == n)
            return i;
        if (n < 5)
            continue;
        if (found >= 0)
            return -1;
        found = i;
    }
    return found;
}
