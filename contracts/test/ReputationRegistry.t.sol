// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ReputationRegistry} from "../src/registries/ReputationRegistry.sol";
import {RegistryFixture} from "./support/RegistryFixture.sol";
import {vm} from "./support/Vm.sol";

contract ReputationRegistryTest is RegistryFixture {
    int128 private constant LARGEST = 1e38;

    function setUp() public override {
        super.setUp();
        register(ALICE);
    }

    function testFuzz_feedbackIsReadAsItWasGiven(int128 value, uint8 decimals, string memory tag1, string memory tag2)
        public
    {
        int128 given = value % (LARGEST + 1);
        uint8 places = decimals % 19;
        vm.prank(BOB);
        vm.expectEmit(address(reputations));
        emit ReputationRegistry.NewFeedback(1, BOB, 1, given, places, tag1, tag1, tag2, "endpoint", "uri", "hash");
        reputations.giveFeedback(1, given, places, tag1, tag2, "endpoint", "uri", "hash");
        (int128 read, uint8 readPlaces, string memory first, string memory second, bool isRevoked) =
            reputations.readFeedback(1, BOB, 1);
        vm.assertTrue(read == given && readPlaces == places && !isRevoked, "value");
        vm.assertEq(first, tag1, "tag1");
        vm.assertEq(second, tag2, "tag2");
        (uint64 count, int128 summary, uint8 summaryPlaces) = reputations.getSummary(1, only(BOB), "", "");
        vm.assertTrue(count == 1 && summary == given && summaryPlaces == places, "summary of one is the one");
    }

    function test_nobodyRatesHisOwnAgent() public {
        vm.prank(ALICE);
        identities.approve(CAROL, 1);
        vm.prank(ALICE);
        identities.setApprovalForAll(BOB, true);
        address[3] memory own = [ALICE, BOB, CAROL];
        for (uint256 index = 0; index < own.length; index++) {
            vm.expectRevert(abi.encodeWithSelector(ReputationRegistry.OwnAgent.selector, own[index], 1));
            rate(own[index], 1, 5, 0, "");
        }
        vm.expectRevert(unknownAgent(2));
        rate(STRANGER, 2, 5, 0, "");
    }

    function test_valuesHaveLimits() public {
        vm.expectRevert(abi.encodeWithSelector(ReputationRegistry.TooManyDecimals.selector, 19));
        rate(BOB, 1, 5, 19, "");
        vm.expectRevert(abi.encodeWithSelector(ReputationRegistry.ValueTooLarge.selector, LARGEST + 1));
        rate(BOB, 1, LARGEST + 1, 0, "");
        vm.expectRevert(abi.encodeWithSelector(ReputationRegistry.ValueTooLarge.selector, -LARGEST - 1));
        rate(BOB, 1, -LARGEST - 1, 0, "");
    }

    function test_theClientRevokesOnce() public {
        rate(BOB, 1, 5, 0, "a");
        rate(BOB, 1, 3, 0, "a");
        bytes memory unknown = abi.encodeWithSelector(ReputationRegistry.FeedbackUnknown.selector, 1, BOB, 3);
        vm.prank(BOB);
        vm.expectRevert(unknown);
        reputations.revokeFeedback(1, 3);
        vm.prank(CAROL);
        vm.expectRevert(abi.encodeWithSelector(ReputationRegistry.FeedbackUnknown.selector, 1, CAROL, 1));
        reputations.revokeFeedback(1, 1);
        vm.prank(BOB);
        vm.expectEmit(address(reputations));
        emit ReputationRegistry.FeedbackRevoked(1, BOB, 1);
        reputations.revokeFeedback(1, 1);
        vm.prank(BOB);
        vm.expectRevert(ReputationRegistry.AlreadyRevoked.selector);
        reputations.revokeFeedback(1, 1);
        vm.expectRevert(abi.encodeWithSelector(ReputationRegistry.FeedbackUnknown.selector, 1, BOB, 0));
        reputations.readFeedback(1, BOB, 0);
        (uint64 count, int128 average,) = reputations.getSummary(1, only(BOB), "", "");
        vm.assertTrue(count == 1 && average == 3, "the other one counts");
        (,, int128[] memory values,,,, bool[] memory revoked) =
            reputations.readAllFeedback(1, new address[](0), "", "", true);
        vm.assertTrue(values.length == 2 && values[0] == 5 && revoked[0] && !revoked[1], "with the revoked one");
    }

    function test_allFeedbackIsFilteredByClientAndTags() public {
        rate(BOB, 1, 5, 0, "stars");
        rate(CAROL, 1, 1, 0, "speed");
        vm.prank(CAROL);
        reputations.giveFeedback(1, 2, 1, "stars", "trip", "", "", "");
        (address[] memory clients, uint64[] memory indexes, int128[] memory values, uint8[] memory places,,,) =
            reputations.readAllFeedback(1, new address[](0), "stars", "", false);
        vm.assertTrue(clients.length == 2 && clients[0] == BOB && clients[1] == CAROL, "clients");
        vm.assertTrue(indexes.length == 2 && indexes[0] == 1 && indexes[1] == 2, "indexes");
        vm.assertTrue(values[0] == 5 && values[1] == 2 && places[1] == 1, "values");
        (,,,, string[] memory tag1s, string[] memory tag2s,) =
            reputations.readAllFeedback(1, only(CAROL), "", "trip", false);
        vm.assertTrue(tag1s.length == 1 && tag2s.length == 1, "one");
        vm.assertEq(tag1s[0], "stars", "tag1");
        vm.assertEq(tag2s[0], "trip", "tag2");
        vm.assertEq(reputations.getClients(1).length, 2, "each client once");
        vm.assertEq(reputations.getLastIndex(1, CAROL), 2, "last");
        vm.assertEq(reputations.getLastIndex(1, STRANGER), 0, "none");
    }

    function test_theSummaryHasThePlacesOfMost() public {
        rate(BOB, 1, 450, 2, "");
        rate(BOB, 1, 5, 0, "");
        rate(CAROL, 1, 301, 2, "");
        address[] memory both = new address[](2);
        (both[0], both[1]) = (BOB, CAROL);
        (uint64 count, int128 average, uint8 places) = reputations.getSummary(1, both, "", "");
        // (4.50 + 5 + 3.01) / 3 = 4.17
        vm.assertTrue(count == 3 && average == 417 && places == 2, "average");
        vm.expectRevert(ReputationRegistry.ClientsRequired.selector);
        reputations.getSummary(1, new address[](0), "", "");
        (count, average, places) = reputations.getSummary(1, only(STRANGER), "", "");
        vm.assertTrue(count == 0 && average == 0 && places == 0, "nothing");
    }

    /// The average of large numbers does not fit with the places of most: it has as many as fit, and the right value.
    function test_aSummaryThatWouldNotFitHasFewerPlaces() public {
        rate(BOB, 1, -LARGEST, 0, "");
        rate(BOB, 1, 0, 18, "");
        rate(BOB, 1, 0, 18, "");
        (, int128 average, uint8 places) = reputations.getSummary(1, only(BOB), "", "");
        vm.assertTrue(places == 0 && average == -LARGEST / 3, "a third");
    }

    function test_anybodyRespondsAndIsCounted() public {
        rate(BOB, 1, 5, 0, "");
        rate(BOB, 1, 4, 0, "");
        rate(CAROL, 1, 3, 0, "");
        respondTo(ALICE, BOB, 1);
        respondTo(ALICE, BOB, 1);
        respondTo(STRANGER, BOB, 2);
        respondTo(STRANGER, CAROL, 1);
        address[] memory anybody = new address[](0);
        vm.assertEq(reputations.getResponseCount(1, BOB, 1, anybody), 2, "to one");
        vm.assertEq(reputations.getResponseCount(1, BOB, 0, anybody), 3, "to his");
        vm.assertEq(reputations.getResponseCount(1, address(0), 0, anybody), 4, "to all");
        vm.assertEq(reputations.getResponseCount(1, address(0), 0, only(STRANGER)), 2, "by one");
        vm.assertEq(reputations.getResponseCount(1, BOB, 9, anybody), 0, "to none");
        vm.expectRevert(abi.encodeWithSelector(ReputationRegistry.FeedbackUnknown.selector, 1, BOB, 3));
        reputations.appendResponse(1, BOB, 3, "uri", "");
        vm.expectRevert(ReputationRegistry.ResponseIsEmpty.selector);
        reputations.appendResponse(1, BOB, 1, "", "");
        vm.assertEq(reputations.getIdentityRegistry(), address(identities), "registry");
    }

    function respondTo(address responder, address client, uint64 feedbackIndex) private {
        vm.prank(responder);
        vm.expectEmit(address(reputations));
        emit ReputationRegistry.ResponseAppended(1, client, feedbackIndex, responder, "uri", "hash");
        reputations.appendResponse(1, client, feedbackIndex, "uri", "hash");
    }
}
